import { assert, asyncProperty, constantFrom } from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { behaviours, DAY_MS, EMAILS, histories, optionsWith, PACKAGES, play, type Step } from './history.ts'
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

test('a candidate has at most one attempt in progress for a quiz', async () => {
  await always((mock) => {
    for (const email of EMAILS) {
      const running = mock.candidate(email).attempts.filter(({ status }) => status === 'IN_PROGRESS')
      expect(new Set(running.map(({ quizId }) => quizId)).size).toBe(running.length)
    }
  })
})

test('no invite is created for a quiz that is not READY, or while an attempt is in progress or a certification valid', async () => {
  await eachStep(async (mock, next) => {
    const before = blockedPairs(mock)
    const count = mock.invites.length
    const { isCreate } = await next()
    const created = isCreate ? mock.invites.slice(count) : []
    for (const { quizId, candidate } of created) expect(before).not.toContain(`${quizId} ${candidate.email}`)
  })
})

test('a package invite gives every skill its invite, or changes nothing', async () => {
  await eachStep(async (mock, next) => {
    const before = mock.snapshot()
    const { step, outcome } = await next()
    const isRefused = outcome === 'BAD_USER_INPUT'
    const given = outcome.split(',').map((number) => mock.invites[Number(number)]?.quizId)
    const skills = step.do === 'invite package' ? PACKAGES[step.packageId] : given
    expect(isRefused ? mock.snapshot() : given).toEqual(isRefused ? before : skills)
  })
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

test('a link that was not used is open to the last millisecond of its 14 days, and closed from then on', async () => {
  await always((mock) => {
    const now = mock.clock.now().getTime()
    const [expected, closed]: [boolean[], boolean[]] = [[], []]
    for (const { status, createdAt, expiresAt } of mock.invites) {
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(14 * DAY_MS)
      const isUnused = ['PENDING', 'WITHDRAWN', 'EXPIRED'].includes(status)
      if (isUnused) expected.push(now >= Date.parse(expiresAt))
      if (isUnused) closed.push(status === 'EXPIRED')
    }
    expect(closed).toEqual(expected)
  })
})

test('every invite sends one e-mail with its link, unless sendInviteEmail is false; a follow-up sends none', async () => {
  await eachStep(async (mock, next) => {
    const [invites, mails] = [mock.invites.length, mock.outbox.length]
    const { step } = await next()
    const isSent = 'mail' in step && step.mail !== false && !/^(bounce|lost)@/.test(step.email)
    const links = mock.invites.slice(invites).map(({ challengeUrl }) => challengeUrl)
    expect(mock.outbox.slice(mails).map(({ challengeUrl }) => challengeUrl)).toEqual(isSent ? links : [])
  })
})

test('an attempt is followed at most once, by an invite that inherits its callbackUrl and its externalReference', async () => {
  await always((mock) => {
    const followUps = mock.invites.filter(({ followUpOf }) => followUpOf !== null)
    const originals = followUps.map(({ followUpOf }) => mock.open(followUpOf?.inviteId ?? '').invite)
    expect(new Set(originals.map(({ inviteId }) => inviteId)).size).toBe(followUps.length)
    for (const [index, { inviteId, callbackUrl, externalReference, candidate, emailSent }] of followUps.entries()) {
      expect(originals[index]).toMatchObject({ followedBy: inviteId, callbackUrl, externalReference, candidate })
      expect(emailSent).toBe(false)
    }
  })
})

/** Checks that something holds after every step of any history, under any behaviour. */
async function always(check: (mock: MockServer) => void): Promise<void> {
  await eachStep(async (mock, next) => {
    await next()
    check(mock)
  })
}

/** Goes through any history, under any behaviour, step by step: `next` does the step. */
async function eachStep(
  check: (mock: MockServer, next: () => Promise<{ step: Step; outcome: string; isCreate: boolean }>) => Promise<void>,
): Promise<void> {
  const property = asyncProperty(behaviours, histories(25), async (behaviour, steps) => {
    const mock = createMockServer(optionsWith(behaviour))
    for (const step of steps) {
      const isCreate = step.do === 'invite' || step.do === 'invite package'
      await check(mock, async () => ({ step, isCreate, outcome: await play(mock, step) }))
    }
  })
  await assert(property, RUNS)
}

/** The pairs of a quiz and an address, in this very spelling, for which no invite may be created now. */
function blockedPairs(mock: MockServer): string[] {
  return EMAILS.flatMap((email) => {
    const { attempts, certifications } = mock.candidate(email)
    const blocked = [
      ...mock.quizzes.filter(({ ready }) => !ready).map(({ id }) => id),
      ...attempts.filter(({ status }) => status === 'IN_PROGRESS').map(({ quizId }) => quizId),
      ...certifications.filter(({ valid }) => valid).map(({ quizId }) => quizId),
    ]
    return blocked.map((quizId) => `${quizId} ${email}`)
  })
}

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
