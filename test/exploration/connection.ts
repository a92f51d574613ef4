import type { SendRecord } from '../../src/ledger/rules/record.ts'
import type { CandidateFacts, LedgerStore, SendFacts } from '../../src/ledger/store/store.ts'
import type { Actor } from './actor.ts'
import { hashOfObject } from './hash.ts'
import type { Books } from './books.ts'
import type { MemoryStore } from './memory-store.ts'

/** What an actor reaches by its connection. */
interface Reached {
  readonly store: MemoryStore
  readonly books: Books
  readonly storeTime: number
}

/** The store as one actor reaches it: each call waits until the scheduler decides how it ends. */
export function storeOf(reached: Reached, actor: Actor): LedgerStore {
  const { store, books } = reached
  return {
    path: 'memory',
    readCandidates: (scope, questions) =>
      actor.ask({
        what: 'reads the candidate',
        kind: 'read',
        run: () => {
          const facts = store.readCandidates(scope, questions)
          books.read(actor, facts.candidates[0]?.sends ?? [])
          return facts
        },
      }),
    readSend: (reference, inviteIds) =>
      actor.ask({ what: `reads the send ${reference}`, kind: 'read', run: () => store.readSend(reference, inviteIds) }),
    add: (send, last) =>
      actor.ask({
        what: 'adds its send',
        kind: 'write',
        wouldWrite: () => store.canAdd(send, last),
        run: () => {
          const isAdded = store.add(send, last)
          if (isAdded) books.added(actor, send)
          return isAdded
        },
      }),
    replace: (send, facts) =>
      actor.ask({
        what: `replaces the send ${send.reference}`,
        kind: 'write',
        wouldWrite: () => store.canReplace(send, facts),
        run: () => {
          const before = store.send(send.reference)
          const isReplaced = store.replace(send, facts)
          if (isReplaced && before !== undefined) books.replaced(actor, before, send)
          return isReplaced
        },
      }),
    readOverdue: () => actor.ask({ what: 'reads overdue sends', kind: 'read', run: () => store.readOverdue() }),
    readPage: (query, last) =>
      actor.ask({ what: 'reads a page', kind: 'read', run: () => store.readPage(query, last) }),
    now: () => actor.ask({ what: 'reads the time', kind: 'read', run: () => reached.storeTime }),
    remove: () => Promise.reject(new Error('not explored')),
    check: () => Promise.reject(new Error('not explored')),
    acceptTime: () => Promise.reject(new Error('not explored')),
    close: () => Promise.resolve(),
  }
}

/** What a caller sees of the result of a read or a write, for its history. */
export function seenIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if ('candidates' in value) {
    const { now, latest, candidates } = value as CandidateFacts
    return `${now} ${latest} ${candidates.map(({ last, sends }) => `${last}:${hashesOf(sends)}`).join()}`
  }
  if ('owners' in value) {
    const { now, send, version, others, owners } = value as SendFacts
    return `${now} ${version} ${hashesOf(send === undefined ? [] : [send])} ${hashesOf(others)} ${JSON.stringify(owners)}`
  }
  return Array.isArray(value)
    ? value.map((each) => (typeof each === 'object' ? hashesOf([each as SendRecord]) : each)).join()
    : JSON.stringify(value)
}

function hashesOf(sends: readonly SendRecord[]): string {
  return sends.map(hashOfObject).join()
}
