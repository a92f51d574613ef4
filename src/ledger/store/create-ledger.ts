import type { InviteEvent } from '../../callbacks/invite-records.ts'
import { pause } from '../../pause.ts'
import { decideClaim, newSend, viewOf } from '../rules/claiming.ts'
import { type Clock, MOST_SKEW_MS, systemClock } from '../rules/clock.ts'
import type {
  ClaimRequest,
  EntryDetail,
  LedgerEntry,
  LedgerFilter,
  LedgerScope,
  LookedUp,
  Settlement,
  Target,
} from '../rules/entry.ts'
import { clockBehind, type LedgerError, ledgerUnusable } from '../rules/errors.ts'
import { accountKey, baseUrlKey, emailKey, idKey, quizSubject, scopeKey, subjectsOf } from '../rules/key.ts'
import type { Finding, Ledger, LedgerCheck, Purge, Recorded } from '../rules/ledger.ts'
import { lookAlikes } from '../rules/look-alikes.ts'
import { lookedUp } from '../rules/looking-up.ts'
import { entryOf, type SendRecord } from '../rules/record.ts'
import { invitesNamedBy, recordEvent } from '../rules/record-event.ts'
import { entryResolved } from '../rules/resolving.ts'
import { lapsed, type Resolution, resolved, settled } from '../rules/settling.ts'
import type { LedgerStore, PageQuery, SendFacts } from './store.ts'

/**
 * A ledger with all rules, over a store that several machines may share. Each change is decided by what was read, and written
 * only if that is still so. Otherwise it is read and decided again.
 *
 * @param clock for waits of callers. Leases and expiries use the time of the store
 * @example
 * ```ts
 * const ledger = createLedger(store)
 * const guarded = withLedger(client, ledger, { account: 'acme-production' })
 * ```
 */
export function createLedger(store: LedgerStore, clock: Clock = systemClock): Ledger {
  return new StoreLedger(store, clock)
}

class StoreLedger implements Ledger {
  readonly path: string
  readonly clock: Clock
  readonly #openStore: LedgerStore
  #isClosed = false
  readonly shared: Ledger['shared']
  readonly #id = crypto.randomUUID()

  constructor(store: LedgerStore, clock: Clock) {
    this.path = store.path
    this.clock = clock
    this.#openStore = store
    this.shared = store.shared
  }

  readonly claim = async (request: ClaimRequest) => {
    const scope = scopeKey(request.scope)
    const question = { emailKey: emailKey(request.target.email), subjects: subjectsOf(request.target) }
    /* Of this claim alone: so it knows its own send if it had to be written twice. */
    const owner = `${this.#id}/${crypto.randomUUID()}`
    const isOwn = (send: SendRecord) => send.reference === request.reference && send.owner === owner
    return this.#untilAccepted(async () => {
      const { now, latest, candidates } = await this.#store.readCandidates(scope, [question])
      const { sends = [], last = 0 } = candidates[0] ?? {}
      if (latest !== undefined && now < latest - MOST_SKEW_MS && request.although?.clockSkew !== true) {
        throw clockBehind(this.path, now, latest)
      }
      /* Only while its lease holds: otherwise others may have seen it as unknown. */
      if (sends.some((send) => isOwn(send) && send.state === 'sending' && !isLeaseOver(send, now))) return CLAIMED
      const decision = decideClaim(request, sends, (send) => isLeaseOver(send, now), now)
      if (decision.lapsed.length > 0) {
        for (const { reference } of decision.lapsed) await this.#lapse(reference)
        return 'not-accepted'
      }
      if (decision.blocked !== undefined) return decision.blocked
      if (await this.#store.add(newSend(request, owner, now), last)) return CLAIMED
      const { send } = await this.#store.readSend(request.reference, [])
      /* Its own, too, if somebody has ended it meanwhile: it cannot be added again. */
      if (send !== undefined && !(isOwn(send) && send.state === 'sending')) throw referenceTaken()
      return 'not-accepted'
    }, request.deadlineMs)
  }

  readonly settle = (reference: string, settlement: Settlement) => {
    const inviteIds = settlement.state === 'created' ? settlement.invites.map(({ inviteId }) => inviteId) : []
    return this.#change<Recorded>(reference, inviteIds, ({ send, others, now }) => {
      if (send === undefined) return { result: 'not-found' }
      const { send: next, recorded } = settled(send, settlement, others, now)
      return { next, result: recorded }
    })
  }

  readonly lookUp = async <Detail extends keyof EntryDetail = 'entries'>(
    scope: LedgerScope,
    targets: readonly Target[],
    detail: Detail = 'entries' as Detail,
  ) => {
    const questions = targets.map((target) => ({ emailKey: emailKey(target.email), subjects: subjectsOf(target) }))
    const { now, candidates } = await this.#store.readCandidates(scopeKey(scope), questions)
    return candidates.map(({ sends }) => lookUp(sends, detail, now))
  }

  readonly find = async (reference: string) => {
    const facts = await this.#store.readSend(reference, [])
    if (facts.send === undefined) return undefined
    return isLeaseOver(facts.send, facts.now) ? this.#lapse(reference) : entryOf(facts.send)
  }

  readonly list = (filter: LedgerFilter = {}) => this.#entries({ filter: keysOf(filter) })

  async *expiring(withinMs: number, filter: LedgerFilter = {}): AsyncGenerator<LedgerEntry, void, undefined> {
    const from = await this.#store.now()
    yield* this.#entries({ filter: keysOf(filter), expiring: { from, until: from + withinMs } })
  }

  readonly resolve = async (reference: string, finding: Finding) => {
    await this.#lapse(reference)
    const created = finding.created === undefined ? [] : [finding.created].flat()
    let tried: SendRecord | undefined
    const resolution = await this.#change<Resolution>(reference, created, ({ send, others, now }) => {
      /* Its own finding: it was not known whether that had been recorded. */
      if (send !== undefined && tried !== undefined && isRecorded(tried, send)) return { result: { send } }
      const result = resolved(send, finding, others, now)
      tried = 'send' in result ? result.send : undefined
      return { next: tried, result }
    })
    return entryResolved(resolution)
  }

  readonly learn = (event: InviteEvent) =>
    this.#change(event.reference, invitesNamedBy(event), ({ send, others, now }) => {
      const isOver = send !== undefined && isLeaseOver(send, now)
      const { send: next, learned } = recordEvent(send, event, others, isOver, now)
      return { next, result: learned }
    })

  readonly purge = async (what: Purge) => {
    await this.#endLeases()
    return this.#store.remove(what.email === undefined ? what : { email: emailKey(what.email) })
  }

  readonly check = async (): Promise<LedgerCheck> => {
    await this.#endLeases()
    const { scopes, ...rest } = await this.#store.check()
    return { ...rest, lookAlikes: lookAlikes(scopes) }
  }

  readonly close = async () => {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#openStore.close()
  }

  get #store(): LedgerStore {
    if (this.#isClosed) throw ledgerUnusable('it is closed', 'Open it again.')
    return this.#openStore
  }

  /* Resolves with the entry as it is then. */
  #lapse(reference: string): Promise<LedgerEntry | undefined> {
    return this.#change(reference, [], ({ send, now }) => {
      const next = send !== undefined && isLeaseOver(send, now) ? lapsed(send, now) : undefined
      const current = next ?? send
      return { next, result: current && entryOf(current) }
    })
  }

  async #endLeases(): Promise<void> {
    const ended = new Set<string>()
    for (;;) {
      const references = (await this.#store.readOverdue()).filter((reference) => !ended.has(reference))
      if (references.length === 0) return
      for (const reference of references) {
        ended.add(reference)
        await this.#lapse(reference)
      }
    }
  }

  /* Reads, decides and writes, until nobody else has changed anything in between. */
  #change<Result>(
    reference: string,
    inviteIds: readonly string[],
    decide: (facts: SendFacts) => { readonly next?: SendRecord | undefined; readonly result: Result },
  ): Promise<Result> {
    return this.#untilAccepted(async () => {
      const facts = await this.#store.readSend(reference, inviteIds)
      const { next, result } = decide(facts)
      if (next === undefined || next === facts.send || (await this.#store.replace(next, facts))) return result
      return 'not-accepted'
    })
  }

  /* Exponential backoff with full jitter: those who have met do not meet again. */
  async #untilAccepted<Result>(work: () => Promise<Result | 'not-accepted'>, deadlineMs = MOST_MS): Promise<Result> {
    const patienceMs = Math.min(deadlineMs, MOST_MS)
    for (let turn = 1, waitedMs = 0; ; turn += 1) {
      const beganAt = performance.now()
      const result = await work()
      if (result !== 'not-accepted') return result
      waitedMs += performance.now() - beganAt
      /* One write may take all the time, and nobody may know whether it was committed: so it is looked at again. */
      if (waitedMs >= patienceMs && turn >= LEAST_TURNS) throw neverAccepted(this.path, patienceMs)
      /* Most often somebody has come first, and the next look decides. */
      if (turn === 1) continue
      const backOffMs = Math.min(Math.random() * Math.min(500, 5 * 2 ** turn), patienceMs - waitedMs)
      const pauseMs = Math.ceil(Math.max(0, backOffMs))
      await pause(this.clock, pauseMs)
      waitedMs += pauseMs
    }
  }

  async *#entries(query: PageQuery): AsyncGenerator<LedgerEntry, void, undefined> {
    await this.#endLeases()
    for (let last: SendRecord | undefined; ; ) {
      const page = await this.#store.readPage(query, last)
      for (const send of page) yield entryOf(send)
      last = page.at(-1)
      if (last === undefined) return
    }
  }
}

/* How long a change is tried again. A store whose database is away says so before. */
const MOST_MS = 15_000
/* A write, the end of a lease that is over, and the decision. */
const LEAST_TURNS = 3

const CLAIMED = { kind: 'claimed' } as const

function neverAccepted(path: string, patienceMs: number): LedgerError {
  return ledgerUnusable(
    `${path}: it has accepted no change for ${patienceMs} ms`,
    'Other writes may come first, or its database may be away: try again later. For a store of your own, run the tests of certify-sdk/ledger/contract.',
  )
}

function referenceTaken(): LedgerError {
  return ledgerUnusable('it has a send with this reference', 'Claim each send with a new reference.')
}

/* Whether a finding is in the send. Events may have added more invites since. */
function isRecorded({ state, settledAt, invites }: SendRecord, send: SendRecord): boolean {
  const ids = new Set(send.invites.map(({ inviteId }) => inviteId))
  return state === send.state && settledAt === send.settledAt && invites.every(({ inviteId }) => ids.has(inviteId))
}

/* A store that several machines share cannot know whether a sender is gone: only its lease counts. */
function isLeaseOver({ state, leaseUntil }: SendRecord, now: number): boolean {
  return state === 'sending' && leaseUntil <= now
}

function lookUp<Detail extends keyof EntryDetail>(
  recorded: readonly SendRecord[],
  detail: Detail,
  now: number,
): LookedUp<EntryDetail[Detail]> | undefined {
  const sends = recorded.map((send) => (isLeaseOver(send, now) ? lapsed(send, now) : send))
  const readers: { readonly [Each in keyof EntryDetail]: (send: SendRecord) => readonly EntryDetail[Each][] } = {
    entries: (send) => [entryOf(send)],
    invites: (send) => [{ reference: send.reference, invites: entryOf(send).invites }],
    kinds: () => [],
  }
  return lookedUp(
    sends.map((send) => viewOf(send, now)),
    ({ send }) => readers[detail](send),
  )
}

function keysOf({ email, quizId, baseUrl, account, packageId, ...rest }: LedgerFilter): PageQuery['filter'] {
  return {
    ...rest,
    ...(baseUrl !== undefined && { baseUrl: baseUrlKey(baseUrl) }),
    ...(account !== undefined && { account: accountKey(account) }),
    ...(packageId !== undefined && { packageId: idKey(packageId) }),
    ...(email !== undefined && { emailKey: emailKey(email) }),
    ...(quizId !== undefined && { subject: quizSubject(quizId) }),
  }
}
