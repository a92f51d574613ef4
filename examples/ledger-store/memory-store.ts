/*
 * The smallest store of a ledger: maps in memory. Copy it, and replace each method by one conditional statement of your
 * database. `contract.test.ts` says whether it still does what a ledger needs.
 *
 * In your project, import from 'certify-sdk/ledger'.
 */
import type { Clock, LedgerScope, LedgerStore, PageQuery, SendRecord } from '../../src/ledger/index.ts'

/** What the database has. Several stores may use it, as several processes would. */
export interface Database {
  /** By reference. A version is never used twice. */
  readonly sends: Map<string, { readonly send: SendRecord; readonly version: number }>
  /** The identifier of the last send of each candidate. It stays when that send is removed. */
  readonly lastSends: Map<string, number>
  /** The identifier of the send that has each invite. */
  readonly owners: Map<string, number>
  /** The number of changes, and the latest time of a send. */
  changes: number
  latest: number | undefined
}

export function emptyDatabase(): Database {
  return { sends: new Map(), lastSends: new Map(), owners: new Map(), changes: 0, latest: undefined }
}

export function memoryStore(database: Database, clock: Clock): LedgerStore {
  const { sends, lastSends, owners } = database
  const allSends = () => [...sends.values()].map(({ send }) => send)

  return {
    path: 'memory',

    /* 1. What a claim is decided by. */
    readCandidates: async (scope, questions) => ({
      now: clock.now(),
      latest: database.latest,
      candidates: questions.map(({ emailKey, subjects }) => ({
        last: lastSends.get(keyIn(scope, emailKey)) ?? 0,
        sends: allSends()
          .filter((send) => keyIn(send.scope, send.emailKey) === keyIn(scope, emailKey))
          .filter(({ state }) => ['sending', 'created', 'unknown'].includes(state))
          .filter((send) => send.subjects.some((subject) => subjects.includes(subject)))
          .toSorted((one, other) => one.id - other.id),
      })),
    }),

    /* 2. The claim. It must be atomic: the last send of the candidate decides who comes first. */
    add: async (send, last) => {
      const candidate = keyIn(send.scope, send.emailKey)
      if ((lastSends.get(candidate) ?? 0) !== last || sends.has(send.reference)) return false
      database.changes += 1
      sends.set(send.reference, { send: { ...send, id: database.changes }, version: database.changes })
      lastSends.set(candidate, database.changes)
      database.latest = Math.max(database.latest ?? 0, send.sentAt)
      return true
    },

    /* 3. What a change is decided by. */
    readSend: async (reference, inviteIds) => {
      const { send, version = 0 } = sends.get(reference) ?? {}
      const ownerOf = (inviteId: string) => (send && owners.get(keyIn(send.scope, inviteId))) ?? 0
      const ownersNow = Object.fromEntries(inviteIds.map((inviteId) => [inviteId, ownerOf(inviteId)]))
      const others = allSends().filter(({ id }) => id !== send?.id && Object.values(ownersNow).includes(id))
      return { now: clock.now(), send, version, others, owners: ownersNow }
    },

    /* 4. The change. It must be atomic: the version, and the owners of the invites. */
    replace: async (send, facts) => {
      if (sends.get(send.reference)?.version !== facts.version) return false
      const read = Object.entries(facts.owners)
      if (read.some(([inviteId, owner]) => (owners.get(keyIn(send.scope, inviteId)) ?? 0) !== owner)) return false
      database.changes += 1
      sends.set(send.reference, { send, version: database.changes })
      for (const [inviteId] of read) if (names(send, inviteId)) owners.set(keyIn(send.scope, inviteId), send.id)
      return true
    },

    /* 5. Leases that are over, and lists: pages that are as long as you like. */
    readOverdue: async () =>
      allSends()
        .filter(({ state, leaseUntil }) => state === 'sending' && leaseUntil <= clock.now())
        .slice(0, 100)
        .map(({ reference }) => reference),

    readPage: async (query, last) =>
      allSends()
        .filter((send) => matches(send, query))
        .toSorted((one, other) => compare(one, other, query))
        .filter((send) => last === undefined || compare(last, send, query) < 0)
        .slice(0, 100),

    /* 6. What keeps the store small. */
    remove: async ({ email, olderThanMs = 0 }) => {
      const now = clock.now()
      const matching = allSends().filter(({ emailKey, sentAt }) =>
        email === undefined ? sentAt < now - olderThanMs : emailKey === email,
      )
      const isRemoved = (send: SendRecord) =>
        email === undefined ? blocksNothing(send, allSends(), now) : send.state !== 'sending'
      const removed = matching.filter(isRemoved)
      for (const { id, reference } of removed) {
        sends.delete(reference)
        for (const [invite, owner] of owners) if (owner === id) owners.delete(invite)
      }
      return { removed: removed.length, kept: matching.length - removed.length }
    },

    check: async () => {
      const entries = { sending: 0, created: 0, refused: 0, 'not-executed': 0, unknown: 0 }
      for (const { state } of allSends()) entries[state] += 1
      const scopes = [...new Map(allSends().map(({ scope }) => [keyIn(scope, ''), scope])).values()]
      return { entries, scopes, problems: [], schemaVersion: 1, driver: 'memory' }
    },

    now: async () => clock.now(),
    acceptTime: async () => {
      database.latest = clock.now()
    },
    close: async () => {},
  }
}

/* Candidates and invites of different scopes have nothing to do with each other. */
function keyIn({ baseUrl, account, world }: LedgerScope, name: string): string {
  return JSON.stringify([baseUrl, account, world, name])
}

function names({ invites, named }: SendRecord, inviteId: string): boolean {
  return [...invites, ...named].some((each) => each.inviteId === inviteId)
}

function matches(send: SendRecord, { filter, expiring }: PageQuery): boolean {
  const { emailKey, subject, inviteId, result, since } = filter
  return (
    isGiven(filter.baseUrl, send.scope.baseUrl) &&
    isGiven(filter.account, send.scope.account) &&
    isGiven(filter.world, send.scope.world) &&
    isGiven(emailKey, send.emailKey) &&
    isGiven(filter.packageId, send.packageId) &&
    isGiven(filter.state, send.state) &&
    isGiven(filter.campaign, send.campaign) &&
    (subject === undefined || send.subjects.includes(subject)) &&
    (inviteId === undefined || names(send, inviteId)) &&
    (result === undefined || send.named.some((each) => each.result === result)) &&
    (since === undefined || send.sentAt >= since) &&
    (expiring === undefined ||
      (send.state === 'created' && send.expiresAt > expiring.from && send.expiresAt <= expiring.until))
  )
}

function isGiven(wanted: unknown, value: unknown): boolean {
  return wanted === undefined || wanted === value
}

/* Newest first; in a list of what expires, the earliest expiry first. */
function compare(one: SendRecord, other: SendRecord, { expiring }: PageQuery): number {
  return expiring === undefined ? other.id - one.id : one.expiresAt - other.expiresAt || one.id - other.id
}

/* A send that failed, or has expired. One that is unknown counts as expired only if the same was created after it. */
function blocksNothing(send: SendRecord, all: readonly SendRecord[], now: number): boolean {
  if (send.state === 'refused' || send.state === 'not-executed') return true
  const isSame = (later: SendRecord) =>
    keyIn(later.scope, later.emailKey) === keyIn(send.scope, send.emailKey) &&
    later.quizId === send.quizId &&
    later.packageId === send.packageId
  const isSuperseded = all.some((later) => later.state === 'created' && later.id > send.id && isSame(later))
  return send.expiresAt <= now && (send.state === 'created' || (send.state === 'unknown' && isSuperseded))
}
