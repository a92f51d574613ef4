import type { Database } from '../../../examples/ledger-store/memory-store.ts'
import type { Clock, LedgerStore, SendRecord } from '../../../src/ledger/index.ts'

/** What a broken store does, the beginning of the title of the rule that finds it, and how it is broken. */
export type BrokenStore = readonly [what: string, rule: string, how: Break]

/** Breaks a store: the methods that it returns replace those of the store. */
export type Break = (store: LedgerStore, database: Database, clock: Clock) => Partial<LedgerStore>

/** Stores that claim and change sends wrongly. */
export const BROKEN_CLAIMS: readonly BrokenStore[] = [
  [
    'a claim does not compare the last send of the candidate',
    'gives a key to one caller only',
    (store, database) => ({ add: (send) => store.add(send, lastOf(database, send)) }),
  ],
  [
    'a claim compares the last send of each quiz, and not of the candidate',
    'never claim a package and one of its quizzes at once',
    (store, database) => ({
      add: (send, last) => {
        const rivals = [...database.sends.values()].filter(
          (each) =>
            each.send.id > last &&
            each.send.emailKey === send.emailKey &&
            JSON.stringify(each.send.scope) === JSON.stringify(send.scope) &&
            each.send.subjects.join() === send.subjects.join(),
        )
        return rivals.length > 0 ? Promise.resolve(false) : store.add(send, lastOf(database, send))
      },
    }),
  ],
  [
    'a claim with a used reference replaces the earlier send',
    'with the reference of an earlier send rejects',
    (store, database) => ({
      add: (send, last) => {
        database.sends.delete(send.reference)
        return store.add(send, last)
      },
    }),
  ],
  [
    'a change does not compare the version',
    'at the same moment as others of the same send is not lost',
    (store, database) => ({
      replace: (send, facts) =>
        store.replace(send, { ...facts, version: database.sends.get(send.reference)?.version ?? 0 }),
    }),
  ],
  [
    'a change does not compare the owners of the invites',
    'record an invite for one candidate only, when two responses have it at once',
    (store, { owners }) => ({
      replace: (send, facts) => {
        const keyOf = (inviteId: string) => JSON.stringify([...Object.values(send.scope), inviteId])
        const now = Object.keys(facts.owners).map((inviteId) => [inviteId, owners.get(keyOf(inviteId)) ?? 0])
        return store.replace(send, { ...facts, owners: Object.fromEntries(now) })
      },
    }),
  ],
  [
    'a change owns no invite',
    'with an open invite of another candidate or quiz makes the send unknown',
    (store) => ({ replace: (send, facts) => store.replace(send, { ...facts, owners: {} }) }),
  ],
  [
    'the owners of an invite are those of every scope',
    'may have an identifier that belongs to another scope',
    (store, database) => ({
      readSend: async (reference, inviteIds) => {
        const facts = await store.readSend(reference, inviteIds)
        const others = [...database.sends.values()]
          .map(({ send }) => send)
          .filter(
            ({ id, invites }) => id !== facts.send?.id && invites.some((each) => inviteIds.includes(each.inviteId)),
          )
        return { ...facts, others }
      },
    }),
  ],
  [
    'a lapsed lease frees the key',
    'that ended makes the outcome unknown: the send is never free again by itself',
    (store) => ({
      readCandidates: async (scope, questions) => {
        const facts = await store.readCandidates(scope, questions)
        const isFree = ({ state, leaseUntil }: SendRecord) => state === 'sending' && leaseUntil <= facts.now
        const candidates = facts.candidates.map(({ last, sends }) => ({
          last,
          sends: sends.filter((send) => !isFree(send)),
        }))
        return { ...facts, candidates }
      },
    }),
  ],
  [
    'leases that are over are not listed',
    'that ended is seen by whoever asks first',
    () => ({ readOverdue: async () => [] }),
  ],
  [
    'an unknown send does not block',
    'is blocked by an unknown outcome, however old',
    (store) => ({
      readCandidates: async (scope, questions) => {
        const facts = await store.readCandidates(scope, questions)
        const known = ({ state }: SendRecord) => state !== 'unknown'
        return {
          ...facts,
          candidates: facts.candidates.map(({ last, sends }) => ({ last, sends: sends.filter(known) })),
        }
      },
    }),
  ],
  [
    'the latest send that blocks comes first',
    'returns what blocks it in the order of sending',
    (store) => ({
      readCandidates: async (scope, questions) => {
        const facts = await store.readCandidates(scope, questions)
        return { ...facts, candidates: facts.candidates.map((each) => ({ ...each, sends: each.sends.toReversed() })) }
      },
    }),
  ],
  [
    'a candidate is the same in every scope',
    'of another scope never conflict',
    (store, database) => ({
      readCandidates: async (scope, questions) => {
        const facts = await store.readCandidates(scope, questions)
        const all = [...database.sends.values()].map(({ send }) => send)
        const candidates = facts.candidates.map(({ last }, index) => ({
          last,
          sends: all.filter(({ emailKey }) => emailKey === questions[index]?.emailKey),
        }))
        return { ...facts, candidates }
      },
    }),
  ],
  [
    'only the first subject of a question counts',
    'are compared by their keys: a package with that quiz',
    (store) => ({
      readCandidates: (scope, questions) =>
        store.readCandidates(
          scope,
          questions.map(({ emailKey, subjects }) => ({ emailKey, subjects: subjects.slice(0, 1) })),
        ),
    }),
  ],
]

function lastOf({ lastSends }: Database, { scope, emailKey }: Pick<SendRecord, 'scope' | 'emailKey'>): number {
  return lastSends.get(JSON.stringify([scope.baseUrl, scope.account, scope.world, emailKey])) ?? 0
}
