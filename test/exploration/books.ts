import type { CertifyError } from '../../src/index.ts'
import type { Claim } from '../../src/ledger/rules/model.ts'
import type { Recorded } from '../../src/ledger/rules/ledger-types.ts'
import type { NewRecord } from '../../src/ledger/rules/record.ts'
import { outcomeOf } from '../../src/transport/failures.ts'
import type { Actor } from './actor.ts'
import type { Job, Scenario } from './scenario.ts'
import { type Answer, type Executed, inviteIdsOf, type Service, subjectsOfJob } from './service.ts'
import { keyOf, referenceIn, type Store } from './store.ts'
import type { Tables } from './tables.ts'

/**
 * The response that a worker has to its current create, and whether it was told that the ledger has no record of it.
 */
export interface Delivered {
  answer: { readonly reference: string; readonly answer: Answer } | undefined
  wasTold: boolean
  /** Of its current claim. */
  key: string
}

export const RULES = {
  once: 'at most one create is executed per key, unless a caller or a person decided otherwise',
  truth: 'an executed create is never recorded as not executed, unless a person resolved it so',
  kept: 'a created send stays created, and only what created nothing is replaced or removed',
  recorded: 'a response that a worker received is recorded, or the worker is told that it was not',
  owned: 'an invite is recorded for one candidate',
  late: 'a settlement after the lease is reported as late',
  sending: 'a create is recorded as sending before it is sent',
  own: 'a claim does not wait for its own send',
  resolved: 'a resolution changes only the create that it names, and a refused one changes nothing',
  learned: 'what an event proved stays recorded',
  ended: 'every call ends',
  listed: 'whatever blocks forever is listed',
} as const

export interface Violation {
  readonly rule: keyof typeof RULES
  readonly details: string
}

interface Facts {
  readonly store: Store
  readonly service: Service
  readonly jobs: ReadonlyMap<string, Job>
  readonly scenario: Scenario
}

/** What really happened, to compare the ledger with. A claim is named by its key: {@link keyOf}. */
export class Books {
  readonly #facts: Facts
  /** Claims that a person resolved as not created while they were unknown. */
  readonly #found = new Set<string>()
  /** A send that blocked, and the one that its caller sent despite it. */
  readonly #allowed: (readonly [blocked: string, by: string])[] = []
  /** What a person has recorded. */
  readonly #findings = new Map<string, NewRecord>()
  readonly #lapsed = new Set<string>()
  readonly #learned = new Map<string, string>()
  /** The first rule that was broken. */
  violation: Violation | undefined

  constructor(facts: Facts) {
    this.#facts = facts
  }

  /** Everything that determines what will count as a violation. */
  state(): string {
    const allowed = this.#allowed.map((each) => each.join('<'))
    return [this.#found, allowed, this.#lapsed, this.#learned]
      .map((each) => [...each].map(String).toSorted(byText).join())
      .join('/')
  }

  /** An actor has committed. `readAt` is the time on which it based its decision. */
  committed(actor: Actor, before: Tables, readAt: number): void {
    for (const { id, send } of this.#facts.store.tables.sends) {
      const earlier = before.sends.find((row) => row.id === id)?.send
      if (earlier === undefined) this.#added(actor, send)
      else if (earlier !== send) this.#replaced(actor, earlier, send, readAt)
    }
    for (const { id, send } of before.sends) {
      if (this.#facts.store.tables.sends.some((row) => row.id === id)) continue
      const isReplaced = this.#facts.store.send(send.reference) !== undefined
      if (isReplaced ? !isDenied(send) : send.state !== 'sending')
        this.report('kept', `${keyOf(send)} was ${send.state}, and is ${isReplaced ? 'replaced' : 'gone'}`)
      /* A transaction that is one step needs no locks. */
      if (!this.#facts.scenario.isSerial && !this.#facts.store.hasLocked(actor, `candidate ${send.emailKey}`))
        this.report('kept', `${keyOf(send)} is gone, and its candidate was not locked`)
      this.#compare(keyOf(send))
    }
  }

  #added(actor: Actor, send: NewRecord): void {
    const job = this.#facts.jobs.get(actor.name)
    const subjects = new Set(send.subjects)
    /* Its own claim, which was committed without its knowledge, and which a person has resolved since: it was never sent. */
    this.#lapsed.delete(keyOf(send))
    for (const other of this.#facts.store.sends) {
      if (other.emailKey !== send.emailKey || !other.subjects.some((subject) => subjects.has(subject))) continue
      const { state } = other
      const isAllowed =
        (state === 'unknown' && job?.ifUnknown === 'create') || (state === 'created' && job?.ifInvited === 'create')
      if (isAllowed) this.#allowed.push([keyOf(other), keyOf(send)])
    }
  }

  #replaced(actor: Actor, before: NewRecord, send: NewRecord, readAt: number): void {
    const { state } = send
    const reference = keyOf(send)
    const isPerson = actor.name.startsWith('person')
    /* After its lease it counts as unknown, recorded or not. */
    const wasUnknown = before.state === 'unknown' || (before.state === 'sending' && before.leaseUntil <= readAt)
    if (before.state === 'created' && state !== 'created') this.report('kept', `${reference} is ${state} now`)
    if (before.state === 'sending' && state === 'unknown' && send.settledAt === undefined) this.#lapsed.add(reference)
    if (isPerson && actor.name !== `person-${reference}`) this.report('resolved', `${actor.name} changed ${reference}`)
    if (isPerson && (wasUnknown || isDenied(before))) this.#findings.set(actor.name, send)
    if (isPerson && wasUnknown && state === 'not-executed') this.#found.add(reference)
    this.#compare(reference)
  }

  executed({ reference, job }: Executed): void {
    const { executed } = this.#facts.service
    if (executed.filter((each) => each.reference === reference).length > 1)
      this.report('once', `${reference} was executed twice`)
    const subjects = subjectsOfJob(job)
    for (const other of executed) {
      if (other.reference === reference || other.job.email !== job.email || other.openUntil <= this.#facts.store.now)
        continue
      if (!subjectsOfJob(other.job).some((subject) => subjects.includes(subject))) continue
      if (!this.#isDecided(reference, other.reference))
        this.report('once', `${other.reference} and ${reference} were executed`)
    }
    this.#compare(reference)
  }

  claimed({ name }: Actor, claim: Claim): void {
    const isGenerated = this.#facts.jobs.get(name)?.reference === undefined
    if (claim.kind === 'taken' && claim.record.state === 'sending' && isGenerated) this.report('own', name)
    if (claim.kind !== 'claimed') return
    const state = this.#facts.store.claim(keyOf(claim))?.state
    if (state !== 'sending') this.report('sending', `${keyOf(claim)} is ${state}`)
  }

  settled(reference: string, recorded: Recorded): void {
    /* A clock that is behind does not know that the lease has expired. */
    if (recorded === 'recorded' && this.#lapsed.has(reference) && !this.#facts.store.wasBehind)
      this.report('late', `${reference} had lapsed`)
  }

  learned(reference: string, inviteId: string): void {
    this.#learned.set(reference, inviteId)
  }

  /** A call of `create` has ended. */
  ended({ answer: received, wasTold }: Delivered, error: CertifyError | undefined): void {
    if (received === undefined || wasTold || error?.code === 'RESPONSE_MISMATCHED') return
    const { reference, answer } = received
    const send = this.#facts.store.send(referenceIn(reference))
    const known = send && [...send.invites, ...(send.earlierInvites ?? [])]
    const isRecorded =
      'result' in answer
        ? inviteIdsOf(answer.result).every((id) => known?.some(({ inviteId }) => inviteId === id))
        : send === undefined
          ? outcomeOf('mutation', answer.failure) === 'not-executed'
          : send.state !== 'sending' || keyOf(send) !== reference
    if (!isRecorded) this.report('recorded', `${reference} is ${send?.state}`)
  }

  /** A person was told that nothing was changed. */
  refused(person: Actor, reference: string): void {
    const send = this.#facts.store.send(reference)
    if (send !== undefined && send === this.#findings.get(person.name))
      this.report('resolved', `${reference} is ${send.state}`)
  }

  /** What must hold once nothing is in flight. */
  compareAll(sends: readonly NewRecord[], now: number): void {
    const owners = new Map<string, string>()
    for (const { emailKey, expiresAt, invites, results, reference, state, isUnproven } of sends) {
      const proved = this.#learned.get(reference)
      /* It may be about an earlier claim: then this one is still unknown. */
      const isKept =
        (state === 'created' || (state === 'unknown' && isUnproven === true)) &&
        results.some((each) => each.inviteId === proved && each.result !== undefined)
      if (proved !== undefined && !isKept) this.report('learned', `${reference} is ${state}`)
      /* An expired invite is no evidence. */
      for (const { inviteId } of expiresAt > now ? invites : []) {
        if ((owners.get(inviteId) ?? emailKey) !== emailKey) this.report('owned', inviteId)
        owners.set(inviteId, emailKey)
      }
    }
  }

  /** Whether this send may have created an invite that must still block. */
  mustBlock({ reference, openUntil }: Executed, now: number): boolean {
    return openUntil > now && !this.#found.has(reference) && !this.#isOverruled(reference)
  }

  report(rule: Violation['rule'], details: string): void {
    this.violation ??= { rule, details }
  }

  #compare(reference: string): void {
    const send = this.#facts.store.claim(reference)
    const isExecuted = this.#facts.service.executionOf(reference) !== undefined
    if ((send === undefined || isDenied(send)) && isExecuted && !this.#found.has(reference))
      this.report('truth', `${reference} is ${send?.state ?? 'gone'}`)
  }

  #isDecided(one: string, other: string): boolean {
    return (
      [one, other].some((each) => this.#found.has(each) || this.#isOverruled(each)) ||
      this.#allowed.some(([blocked, by]) => (blocked === one && by === other) || (blocked === other && by === one))
    )
  }

  /* A later send was allowed despite it and created an invite, which now blocks in its place. */
  #isOverruled(reference: string): boolean {
    return this.#allowed.some(
      ([blocked, by]) => blocked === reference && this.#facts.store.claim(by)?.state === 'created',
    )
  }
}

function isDenied({ state }: NewRecord): boolean {
  return state === 'refused' || state === 'not-executed'
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1
}
