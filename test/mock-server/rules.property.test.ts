import { assert, asyncProperty, constantFrom } from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { behaviours, DAY_MS, EMAILS, histories, optionsWith, PACKAGES, play } from './history.ts'
import { SecondReading } from './second-reading.ts'

const RUNS = { numRuns: 20 }

vi.setConfig({ testTimeout: 30_000 })

test('whatever is done in whatever order, a world answers and looks as a second reading of the rules has it', async () => {
  const property = asyncProperty(behaviours, histories(40), async (behaviour, steps) => {
    const mock = createMockServer(optionsWith(behaviour))
    const reading = new SecondReading(behaviour)
    for (const step of steps) {
      expect(await play(mock, step)).toBe(reading.play(step))
      expect(seenIn(mock)).toEqual(seenBy(reading))
    }
  })
  await assert(property, { numRuns: 60 })
})

test('a package invite leaves the world that one invite for each of its skills leaves', async () => {
  const property = asyncProperty(
    behaviours,
    histories(15),
    constantFrom(...EMAILS),
    constantFrom(...Object.keys(PACKAGES)),
    async (behaviour, steps, email, packageId) => {
      const [whole, singles] = [createMockServer(optionsWith(behaviour)), createMockServer(optionsWith(behaviour))]
      for (const step of steps) expect(await play(whole, step)).toBe(await play(singles, step))
      const settings = { email, mail: null, hook: 'https://app.example/hook' }
      const outcome = await play(whole, { do: 'invite package', packageId, ...settings })
      if (outcome === 'BAD_USER_INPUT') return
      for (const quizId of PACKAGES[packageId] ?? []) {
        await play(singles, { do: 'invite', quizId, reference: null, ...settings })
      }
      const rows = (mock: MockServer) => mock.invites.map((row) => ({ ...row, packageId: null }))
      expect(rows(whole)).toEqual(rows(singles))
      expect(whole.outbox).toEqual(singles.outbox)
      await Promise.all([whole, singles].map((mock) => mock.clock.advance('30d')))
      expect(rows(whole)).toEqual(rows(singles))
      expect(whole.callbacks.list()).toEqual(singles.callbacks.list())
    },
  )
  await assert(property, RUNS)
})

/** What can be seen of a world, its identifiers as numbers. */
function seenIn(mock: MockServer): unknown {
  const numbers = new Map<string | null, number>(mock.invites.map(({ inviteId }, index) => [inviteId, index]))
  const numberOf = (inviteId: string | null): number | null => numbers.get(inviteId) ?? null
  const msOf = (time: string | null): number | null => (time === null ? null : Date.parse(time))
  return {
    now: mock.clock.now().getTime(),
    invites: mock.invites.map(({ candidate, followUpOf, createdAt, expiresAt, ...row }) => ({
      email: candidate.email,
      quizId: row.quizId,
      packageId: row.packageId,
      status: row.status,
      createdAt: msOf(createdAt),
      expiresAt: msOf(expiresAt),
      emailSent: row.emailSent,
      callbackUrl: row.callbackUrl,
      externalReference: row.externalReference,
      follows: followUpOf && { invite: numberOf(followUpOf.inviteId), kind: followUpOf.kind },
      followedBy: numberOf(row.followedBy),
    })),
    mails: mock.outbox.map(({ inviteId }) => numberOf(inviteId)),
    attempts: EMAILS.map((email) =>
      inOrderOfQuizzes(mock.candidate(email).attempts).map(({ inviteId, quizId, status, startedAt, endedAt }) => {
        return { invite: numberOf(inviteId), quizId, status, startedAt: msOf(startedAt), endedAt: msOf(endedAt) }
      }),
    ),
    certifications: EMAILS.map((email) =>
      inOrderOfQuizzes(mock.candidate(email).certifications).map(({ quizId, passedAt, validUntil, valid }) => {
        return { quizId, passedAt: msOf(passedAt), until: msOf(validUntil) ?? Infinity, valid }
      }),
    ),
    events: mock.callbacks.list().map(({ body, inviteId }) => {
      const { result, kind, followUpInviteId } = JSON.parse(body).data
      return `${numberOf(inviteId)} ${result ?? `${kind} ${numberOf(followUpInviteId)}`}`
    }),
    unready: mock.quizzes.filter(({ ready }) => !ready).map(({ id }) => id),
  }
}

/** The same, as the second reading has it. */
function seenBy(reading: SecondReading): unknown {
  const { now, invites, attempts, certifications, mails, events } = reading
  const ofCandidate = <Row extends { key: string; quizId: string }>(email: string, rows: Row[]): Row[] =>
    inOrderOfQuizzes(rows.filter(({ key }) => key === reading.keyOf(email)))
  return {
    now,
    invites: invites.map(({ mail, hook, reference, isWithdrawn: _isWithdrawn, ...row }, number) => ({
      ...row,
      status: reading.statusOf(number),
      expiresAt: row.createdAt + 14 * DAY_MS,
      emailSent: mail,
      callbackUrl: hook,
      externalReference: reference,
    })),
    mails,
    attempts: EMAILS.map((email) =>
      ofCandidate(email, attempts).map((attempt) => {
        const { invite, quizId, startedAt } = attempt
        return { invite, quizId, startedAt, ...reading.stateOf(attempt) }
      }),
    ),
    certifications: EMAILS.map((email) =>
      ofCandidate(email, certifications).map(({ quizId, passedAt, until }) => {
        return { quizId, passedAt, until, valid: now < until }
      }),
    ),
    events,
    unready: reading.unready,
  }
}

function inOrderOfQuizzes<Row extends { quizId: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => a.quizId.localeCompare(b.quizId))
}
