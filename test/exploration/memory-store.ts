import type { LedgerScope } from '../../src/ledger/rules/entry.ts'
import type { NewSend, SendRecord } from '../../src/ledger/rules/record.ts'
import type { CandidateFacts, CandidateQuestion, PageQuery, SendFacts } from '../../src/ledger/store/store.ts'
import { hashOf, hashOfObject } from './hash.ts'

interface Stored {
  readonly send: SendRecord
  readonly version: number
}

/** The contract of `LedgerStore` in memory. Each call is one moment: the scheduler decides when it happens. */
export class MemoryStore {
  readonly #now: () => number
  readonly #sends = new Map<string, Stored>()
  readonly #last = new Map<string, number>()
  readonly #owners = new Map<string, number>()
  /** How often something was written. */
  writes = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Every send, the earliest first. */
  get sends(): readonly SendRecord[] {
    return Array.from(this.#sends.values(), ({ send }) => send)
  }

  send(reference: string): SendRecord | undefined {
    return this.#sends.get(reference)?.send
  }

  readCandidates(scope: LedgerScope, questions: readonly CandidateQuestion[]): CandidateFacts {
    const sends = this.sends
    return {
      now: this.#now(),
      latest: sends.length === 0 ? undefined : Math.max(...sends.map(({ sentAt }) => sentAt)),
      candidates: questions.map(({ emailKey, subjects }) => ({
        last: this.#last.get(candidateKey(scope, emailKey)) ?? 0,
        sends: sends.filter(
          (send) =>
            send.emailKey === emailKey &&
            scopeText(send.scope) === scopeText(scope) &&
            BLOCKING.has(send.state) &&
            send.subjects.some((subject) => subjects.includes(subject)),
        ),
      })),
    }
  }

  readSend(reference: string, inviteIds: readonly string[]): SendFacts {
    const stored = this.#sends.get(reference)
    const owners = Object.fromEntries(inviteIds.map((id) => [id, this.#owners.get(id) ?? 0]))
    const ids = new Set(Object.values(owners))
    return {
      now: this.#now(),
      send: stored?.send,
      version: stored?.version ?? 0,
      owners,
      others: this.sends.filter(({ id, reference: other }) => other !== reference && ids.has(id)),
    }
  }

  canAdd({ scope, emailKey, reference }: NewSend, last: number): boolean {
    if (last !== (this.#last.get(candidateKey(scope, emailKey)) ?? 0)) return false
    return !this.#sends.has(reference)
  }

  add(send: NewSend, last: number): boolean {
    if (!this.canAdd(send, last)) return false
    const id = this.#sends.size + 1
    this.#sends.set(send.reference, { send: { ...send, id }, version: 1 })
    this.#last.set(candidateKey(send.scope, send.emailKey), id)
    this.writes += 1
    return true
  }

  canReplace(send: SendRecord, facts: SendFacts): boolean {
    if (this.#sends.get(send.reference)?.version !== facts.version) return false
    return Object.entries(facts.owners).every(([id, owner]) => (this.#owners.get(id) ?? 0) === owner)
  }

  replace(send: SendRecord, facts: SendFacts): boolean {
    if (!this.canReplace(send, facts)) return false
    this.#sends.set(send.reference, { send, version: (this.#sends.get(send.reference)?.version ?? 0) + 1 })
    const named = new Set([...send.invites, ...send.named].map(({ inviteId }) => inviteId))
    for (const id of Object.keys(facts.owners)) if (named.has(id)) this.#owners.set(id, send.id)
    this.writes += 1
    return true
  }

  readOverdue(): readonly string[] {
    const now = this.#now()
    return this.sends
      .filter(({ state, leaseUntil }) => state === 'sending' && leaseUntil <= now)
      .map(({ reference }) => reference)
  }

  /** By state alone: the exploration has no other filter. */
  readPage({ filter: { state } }: PageQuery, last: SendRecord | undefined): readonly SendRecord[] {
    return this.sends
      .filter((send) => (state === undefined || send.state === state) && (last === undefined || send.id < last.id))
      .toReversed()
  }

  hash(): number {
    const sends = Array.from(this.#sends.values(), ({ send, version }) => `${version}:${hashOfObject(send)}`)
    return hashOf(`${sends.join()} ${Array.from(this.#owners).join()} ${Array.from(this.#last.values()).join()}`)
  }
}

const BLOCKING: ReadonlySet<string> = new Set(['sending', 'created', 'unknown'])

function scopeText({ baseUrl, account, world }: LedgerScope): string {
  return `${baseUrl} ${account} ${world}`
}

function candidateKey(scope: LedgerScope, emailKey: string): string {
  return `${scopeText(scope)} ${emailKey}`
}
