import type { NewRecord } from '../../src/ledger/rules/record.ts'
import type { Actor } from './actor.ts'
import type { Tables } from './tables.ts'

/** When every schedule begins. */
export const START: number = Date.parse('2030-01-01T00:00:00Z')

/** What all processes share: the committed rows, the locks, and the time. */
export class Store {
  tables: Tables = { sends: [], invites: [] }
  readonly #locks = new Map<string, Actor>()
  #lastId = 0
  /** The true time. */
  now = START
  /** How far the database's clock is behind, and whether it ever was. */
  behindMs = 0
  wasBehind = false

  /** The time by the database's clock. */
  get time(): number {
    return this.now - this.behindMs
  }

  /** Every send, the earliest first. */
  get sends(): readonly NewRecord[] {
    return this.tables.sends.map(({ send }) => send)
  }

  send(reference: string): NewRecord | undefined {
    return this.sends.find((send) => send.reference === reference)
  }

  /** The record of a claim, unless its reference was claimed again. */
  claim(key: string): NewRecord | undefined {
    return this.sends.find((send) => keyOf(send) === key)
  }

  /** The id of a new row, never used twice. */
  nextId(): number {
    this.#lastId = 1 + Math.max(this.#lastId, ...this.tables.sends.map(({ id }) => id))
    return this.#lastId
  }

  canLock(actor: Actor, names: readonly string[]): boolean {
    return names.every((name) => (this.#locks.get(name) ?? actor) === actor)
  }

  lock(actor: Actor, names: readonly string[]): void {
    for (const name of names) this.#locks.set(name, actor)
  }

  hasLocked(actor: Actor, name: string): boolean {
    return this.#locks.get(name) === actor
  }

  unlock(actor: Actor): void {
    for (const [name, holder] of this.#locks) if (holder === actor) this.#locks.delete(name)
  }

  /** Everything that a process could observe. */
  state(): string {
    return `${this.rows()} ${this.now} ${this.behindMs}`
  }

  /* Without the ids: only their order counts. */
  rows(): string {
    const { sends, invites } = this.tables
    const ids = sends.map(({ id }) => id)
    const named = invites.map(({ invite_id, send }) => `${String(invite_id)}@${ids.indexOf(send)}`)
    return `${sends.map(({ hash }) => hash).join()} ${named.join()}`
  }
}

/** Tells a claim from the others of its reference. */
export function keyOf({ reference, owner }: Pick<NewRecord, 'reference' | 'owner'>): string {
  return reference === owner ? reference : `${reference}~${owner}`
}

export function referenceIn(key: string): string {
  return key.replace(/~.*/, '')
}
