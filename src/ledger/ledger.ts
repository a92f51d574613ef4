import type { InviteEvent } from '../callbacks/event.ts'
import { MAX_CLOCK_SKEW_MS, timeLimit, raceWithAbort } from '../clock.ts'
import { INTERNALS } from '../internals.ts'
import { CircuitBreaker } from '../transport/breaker.ts'
import { addAccounts, bindAccount, moveAccount, serviceOf, servicesByAccount } from './accounts.ts'
import { recordedCreate } from './create.ts'
import type { Database, Tx } from './database.ts'
import {
  checkGiven,
  type Condition,
  conditionsOf,
  type CountedBy,
  countsBy,
  groupsOf,
  type Order,
  orderOf,
  progressOf,
  whereOf,
} from './filters.ts'
import { databaseInbox } from './inbox.ts'
import { blocksNothing } from './rules/blocking.ts'
import { blockingClaim, isFree, lookedUp, newRecord, reusable } from './rules/claiming.ts'
import type {
  Claim,
  ClaimKey,
  ClaimRequest,
  LedgerFilter,
  LedgerGroup,
  LedgerRecord,
  LedgerScope,
  LookedUp,
  Settlement,
  Target,
} from './rules/model.ts'
import { clockBehind } from './rules/errors.ts'
import { accountKey, baseUrlKey, emailKey, idKey, scopeKey, subjectsOf } from './rules/key.ts'
import { type CheckedImport, checkImports, decideImport, isInvalid } from './rules/importing.ts'
import type {
  Finding,
  Imported,
  Ledger,
  LedgerCheck,
  LedgerInternals,
  Purge,
  Purged,
  Recorded,
} from './rules/ledger-types.ts'
import { hasNothing, isUnproven, recordOf, type NewRecord, type StoredRecord } from './rules/record.ts'
import { invitesNamedBy, recordEvent } from './rules/record-event.ts'
import { checkFinding, resolved } from './rules/resolving.ts'
import { current, isForgettable, settled, settledEarlier } from './rules/settling.ts'
import { Titles } from './rules/titles.ts'
import { inputInvalid } from '../errors.ts'
import type { CertificationPackageTrack as PackageTrack } from '../generated/schema.ts'
import { IS_PENDING, SCHEMA_VERSION } from './schema.ts'
import {
  ANSWERING,
  columnText,
  deleteRecord,
  findRecord,
  insertRecord,
  listOf,
  othersWith,
  recordText,
  scopeText,
  selectRecords,
  updateRecord,
} from './records.ts'

/**
 * The ledger, over any database that has transactions. Every change locks the candidate, reads their records, lets the rules
 * decide, and writes: all changes of a candidate happen one after the other.
 */
export function createLedger({
  path,
  driver,
  clock,
  transaction,
  revision,
  backup,
  problems,
  close,
}: Database): Ledger {
  const titles = new Titles()
  /* What `close` waits for, at most until all leases have ended. */
  const running = new Set<Promise<unknown>>()
  let leasedUntil = 0
  /* One for each client would lose creates for each. The service may fail for one account alone. */
  const breakers = new Map<string, CircuitBreaker>()

  const change = <Result>(
    reference: string,
    inviteIds: readonly string[],
    decide: (facts: Facts) => Changed<Result>,
  ): Promise<Result> => {
    let earlier: Changed<Result> | undefined
    return transaction(async (tx) => {
      const { record, others, now } = await lockAndRead(tx, reference, inviteIds)
      /* The outcome of the commit was unknown: it had succeeded. */
      if (earlier?.next !== undefined && isEqual(earlier.next, record)) return earlier.result
      earlier = decide({ record: record && current(record, now), others, now })
      const { next } = earlier
      if (record !== undefined && next !== undefined && next !== record) {
        if (isForgettable(next)) deleteRecord(tx, record)
        else if (next.owner === record.owner) updateRecord(tx, next, record)
        else {
          /* What its claim had replaced, which may be about another candidate. */
          deleteRecord(tx, record)
          insertRecord(tx, next)
        }
      }
      return earlier.result
    })
  }

  const timeNow = () => transaction((tx) => tx.now())

  const learn = (event: InviteEvent) =>
    change(event.reference, invitesNamedBy(event), ({ record, others, now }) => {
      const { record: next, learned } = recordEvent(record, event, others, now)
      return { next, result: learned }
    })

  const referencesOf = async (reference: string) => {
    const record = await transaction((tx) => findRecord(tx, reference))
    return record === undefined ? [reference] : [record.reference, ...(record.reusedBy ?? [])]
  }

  const internals: LedgerInternals = {
    clock,
    breaker(endpoint, account) {
      const key = JSON.stringify([endpoint, account])
      const breaker = breakers.get(key) ?? new CircuitBreaker(clock)
      breakers.set(key, breaker)
      return breaker
    },
    creates: (client) => recordedCreate(internals, client),
    async claim(request: ClaimRequest, until): Promise<Claim> {
      leasedUntil = Math.max(leasedUntil, clock.now() + request.leaseMs)
      /* Unique to this claim, so that it recognises its own record if the transaction runs again. */
      const owner = crypto.randomUUID()
      const key = { reference: request.reference ?? owner, owner }
      const email = emailKey(request.target.email)
      for (let emails = [email]; ; ) {
        const claim = await transaction((tx) => claimIn(tx, path, { ...request, ...key }, emails, titles), until)
        if (!('replaces' in claim)) return claim
        /* In one order, so that two claims cannot wait for each other. */
        emails = [email, claim.replaces].toSorted()
      }
    },

    settle({ reference, owner }: ClaimKey, settlement: Settlement) {
      const inviteIds = settlement.state === 'created' ? settlement.invites.map(({ inviteId }) => inviteId) : []
      return change<Recorded>(reference, inviteIds, ({ record, others, now }) => {
        if (record?.reference !== reference) return { result: 'not-found' }
        const settle = record.owner === owner ? settled : settledEarlier
        const { record: next, recorded } = settle(record, settlement, others, now)
        return { next, result: recorded }
      })
    },

    async lookUp(scope: LedgerScope, targets: readonly Target[]) {
      const found: (LookedUp | undefined)[] = []
      for (let from = 0; from < targets.length; from += PAGE)
        found.push(...(await lookUpPage(scope, targets.slice(from, from + PAGE))))
      return found
    },

    records: () => pages(BY_ID, () => []),

    add: (records: readonly NewRecord[]) =>
      transaction(async (tx) => {
        addAccounts(
          tx,
          records.map(({ scope }) => scope),
        )
        const references = records.map(({ reference }) => reference)
        const there = await selectRecords(tx, `WHERE reference IN (${listOf(references)})`, ...references)
        const missing = records.filter(({ reference }) => !there.some((each) => each.reference === reference))
        for (const record of missing) insertRecord(tx, record)
        return there
      }),

    learnTitles(baseUrl: string, tracks: readonly PackageTrack[]) {
      internals.trackPending(heal(baseUrl, titles.learn(baseUrl, tracks)))
    },

    trackPending(work) {
      const ended: Promise<unknown> = work.catch(() => {}).finally(() => running.delete(ended))
      running.add(ended)
    },
  }

  const ledger: Ledger & { readonly [INTERNALS]: LedgerInternals } = {
    [INTERNALS]: internals,
    path,
    inbox: databaseInbox({ transaction, clock }, learn, referencesOf),
    now: timeNow,

    find: (reference: string) =>
      transaction(async (tx) => {
        const [now, record] = await Promise.all([tx.now(), findRecord(tx, reference)])
        return record && recordOf(current(record, now), reference)
      }),

    async *list(filter: LedgerFilter = {}) {
      checkGiven('ledger.list', 'listed', filter)
      const { before, limit, orderBy = filter.expiringWithinMs === undefined ? 'newest' : 'expiry' } = filter
      const last = before === undefined ? undefined : await transaction((tx) => findRecord(tx, before))
      if (before !== undefined && last === undefined)
        throw inputInvalid('ledger.list', [{ path: 'before', rule: 'must be a reference that the ledger has' }])
      const conditions: Conditions = (now) => conditionsOf(filter, now, orderBy)
      for await (const page of pages(orderOf(filter, orderBy), conditions, last, limit))
        for (const record of page) yield recordOf(record)
    },

    count,
    progress,

    revision: () =>
      transaction(async (tx) => {
        const now = await tx.now()
        const rows = await Promise.all([tx.all(revision), tx.all(LAPSED, now)])
        return rows.map(([row]) => String(row?.['revision'])).join(' ')
      }),

    async resolve(reference: string, finding: Finding) {
      checkFinding(finding)
      const created = finding.created === undefined ? [] : [finding.created].flat().map(idKey)
      return change<LedgerRecord>(reference, created, ({ record, others, now }) => {
        const next = resolved(record, finding, others, now)
        return { next, result: recordOf(next) }
      })
    },

    async import(invites, options = {}) {
      checkGiven('ledger.import', 'imported', options)
      const { dryRun = false, skipInvalid = false, account = 'default', world = '', baseUrl } = options
      const given = checkImports(invites, await timeNow(), skipInvalid)
      const valid = given.flatMap((each) => (isInvalid(each) ? [] : each))
      const results: Imported[] = []
      for (let from = 0; from < valid.length; from += PAGE) {
        const page = valid.slice(from, from + PAGE)
        results.push(...(await importPage(page, { account: accountKey(account), world, baseUrl }, dryRun)))
      }
      const next = results.values()
      return given.map((each) => (isInvalid(each) ? each : (next.next().value as Imported)))
    },

    async purge(what: Purge): Promise<Purged> {
      checkGiven('ledger.purge', 'purged', what)
      let [removed, kept] = [0, 0]
      if (what.email !== undefined && what.dryRun !== true) await forgetReplaced(emailKey(what.email))
      for await (const email of what.email === undefined
        ? candidatesBefore(what.olderThanMs)
        : [emailKey(what.email)]) {
        const purged = await purgeCandidate(email, what)
        removed += purged.removed
        kept += purged.kept
      }
      return { removed, kept }
    },

    async move(given) {
      checkGiven('ledger.move', 'moved', given)
      const { account, to } = given
      const service = baseUrlKey(to)
      if (!/^https?:/.test(service))
        throw inputInvalid('ledger.move', [{ path: 'to', rule: 'must be an http or https URL' }])
      const isKnown = await transaction((tx) => moveAccount(tx, accountKey(account), service))
      if (!isKnown) throw inputInvalid('ledger.move', [{ path: 'account', rule: 'has no service in this ledger yet' }])
    },

    async backup(to: string) {
      if (backup === undefined)
        throw inputInvalid('ledger.backup', [
          { path: 'path', rule: 'is for a ledger in a file; in Postgres, use pg_dump' },
        ])
      return { records: await backup(to) }
    },

    async check(): Promise<LedgerCheck> {
      const found = await problems()
      const records = { sending: 0, created: 0, refused: 0, 'not-executed': 0, unknown: 0 }
      for await (const page of internals.records()) for (const { state } of page) records[state] += 1
      const accounts = await transaction(servicesByAccount)
      return {
        problems: found,
        accounts,
        records,
        schemaVersion: SCHEMA_VERSION,
        driver,
      }
    },

    async close() {
      const limit = timeLimit(clock, Math.max(0, leasedUntil - clock.now()))
      /* What has ended may have left a record to write. */
      while (running.size > 0 && !limit.signal.aborted)
        await raceWithAbort(Promise.all(running), limit.signal).catch(() => {})
      limit.stop()
      await close()
    },
  }
  return ledger

  async function* pages(
    { by, after: follows }: Order,
    conditions: Conditions,
    after?: StoredRecord,
    limit = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<readonly StoredRecord[]> {
    for (let [last, left] = [after, limit]; left > 0; ) {
      const most = Math.min(PAGE, left)
      const [page, now] = await transaction(async (tx) => {
        const at = await tx.now()
        const [where, ...values] = whereOf([...(last === undefined ? [] : [follows(last)]), ...conditions(at)])
        return [await selectRecords(tx, `${where} ORDER BY ${by} LIMIT ?`, ...values, most), at] as const
      })
      yield page.map((record) => current(record, now))
      last = page.at(-1)
      left = page.length < most ? 0 : left - most
    }
  }

  /* Records whose titles were not known to whoever recorded them. */
  async function heal(baseUrl: string, subjects: readonly string[]) {
    for (let from = 0; from < subjects.length; from += PAGE) {
      const keys = subjects.slice(from, from + PAGE).map(columnText)
      const untitled = [
        `untitled IN (${listOf(keys)}) AND base_url = ?`,
        ...keys,
        columnText(baseUrlKey(baseUrl)),
      ] as const
      for await (const page of pages(BY_ID, () => [untitled])) {
        const healed = page.map(({ reference }) =>
          change(reference, [], ({ record }) => ({ next: record && titles.titled(record), result: undefined })),
        )
        await Promise.all(healed)
      }
    }
  }

  async function count(filter: LedgerFilter | undefined): Promise<number>
  async function count(filter: LedgerFilter, options: { readonly by: CountedBy }): Promise<Record<string, number>>
  async function count(filter: LedgerFilter = {}, options: { readonly by?: CountedBy } = {}) {
    checkGiven('ledger.count', 'counted', filter)
    checkGiven('ledger.count', 'countOptions', options)
    if (options.by !== undefined) return countsBy(options.by, await progress(0, filter))
    const [row] = await transaction(async (tx) => {
      const [where, ...values] = whereOf(conditionsOf(filter, await tx.now()))
      return tx.all(`SELECT count(*) AS records FROM certify_sends ${where}`, ...values)
    })
    return Number(row?.['records'])
  }

  async function progress(withinMs: number, filter: LedgerFilter = {}): Promise<readonly LedgerGroup[]> {
    checkGiven('ledger.progress', 'counted', filter)
    checkGiven('ledger.progress', 'span', { withinMs })
    const rows = await transaction(async (tx) => {
      const now = await tx.now()
      return tx.all(...progressOf(conditionsOf(filter, now, 'progress'), now, now + withinMs))
    })
    return rows.flatMap(groupsOf)
  }

  function lookUpPage(scope: LedgerScope, targets: readonly Target[]): Promise<readonly (LookedUp | undefined)[]> {
    const emails = [...new Set(targets.map(({ email }) => emailKey(email)))]
    const where = `WHERE scope = ? AND email_key IN (${listOf(emails)}) ORDER BY id`
    return transaction(async (tx) => {
      const [now, found] = await Promise.all([
        tx.now(),
        selectRecords(tx, where, scopeText(scopeKey(scope)), ...emails),
      ])
      return targets.map((target) => {
        const email = emailKey(target.email)
        const records = found.filter((record) => record.emailKey === email).filter(sharing(subjectsOf(target)))
        return lookedUp(
          target,
          records.map((record) => current(record, now)),
          now,
        )
      })
    })
  }

  function importPage(
    page: readonly CheckedImport[],
    { account, world, baseUrl: asked }: Omit<LedgerScope, 'baseUrl'> & { readonly baseUrl: string | undefined },
    isDryRun: boolean,
  ): Promise<readonly Imported[]> {
    const owner = crypto.randomUUID()
    const emails = [...new Set(page.map(({ target }) => emailKey(target.email)))].toSorted()
    const inviteIds = [...new Set(page.flatMap((each) => each.inviteIds.map(columnText)))].toSorted()
    const references = page.flatMap(({ reference }) => reference ?? [])
    return transaction(async (tx) => {
      const [, , now, found, service] = await Promise.all([
        Promise.all(emails.map((email) => tx.lock(`candidate ${email}`))),
        Promise.all(inviteIds.map((inviteId) => tx.lock(`invite ${inviteId}`))),
        tx.now(),
        selectRecords(
          tx,
          `WHERE email_key IN (${listOf(emails)}) OR reference IN (${listOf(references)})
            OR id IN (SELECT send FROM certify_invites WHERE invite_id IN (${listOf(inviteIds)}))
            ORDER BY id`,
          ...emails,
          ...references,
          ...inviteIds,
        ),
        serviceOf(tx, account),
      ])
      const baseUrl = asked ?? service?.baseUrl
      if (baseUrl === undefined) throw inputInvalid('ledger.import', [{ path: 'scope.baseUrl', rule: NO_SERVICE }])
      const scope = scopeKey({ account, world, baseUrl })
      await bindAccount(tx, path, scope, { known: service, isDryRun })
      const recorded = found.map((record) => current(record, now))
      return page.map((each): Imported => {
        const decision = decideImport(each, scope, recorded, owner, now)
        if (!('record' in decision)) return decision
        const { record, replaced } = decision
        if (replaced !== undefined && !isDryRun) deleteRecord(tx, replaced)
        if (!isDryRun) insertRecord(tx, titles.titled(record))
        recorded.push({ ...record, owner: '', id: Number.MAX_SAFE_INTEGER })
        const { reference, state } = record
        return { status: 'imported', reference, state, ...(record.expiresAt <= now && { hasExpired: true }) }
      })
    })
  }

  /* Page by page: one long statement would hold up every create. */
  async function* candidatesBefore(olderThanMs: number): AsyncGenerator<string> {
    const before = (await timeNow()) - olderThanMs
    const seen = new Set<string>()
    for await (const page of internals.records()) {
      for (const { emailKey: email, sentAt } of page) {
        if (sentAt >= before || seen.has(email)) continue
        seen.add(email)
        yield email
      }
    }
  }

  /* A create in flight keeps the record that it has replaced. */
  async function forgetReplaced(email: string): Promise<void> {
    const sending = await transaction((tx) => selectRecords(tx, "WHERE state = 'sending'"))
    for (const { reference } of sending.filter(({ replaced }) => replaced?.emailKey === email))
      await change(reference, [], ({ record }) => ({
        next: record && { ...record, replaced: undefined },
        result: undefined,
      }))
  }

  function purgeCandidate(email: string, { olderThanMs, dryRun = false }: Purge): Promise<Purged> {
    return transaction(async (tx) => {
      const [, now, found] = await Promise.all([
        tx.lock(`candidate ${email}`),
        tx.now(),
        selectRecords(tx, 'WHERE email_key = ? ORDER BY id', email),
      ])
      const records = found.map((record) => current(record, now))
      const asked = records.filter(({ sentAt }) => olderThanMs === undefined || sentAt < now - olderThanMs)
      const gone = asked.filter(
        (record) => record.state !== 'sending' && (olderThanMs === undefined || blocksNothing(record, records, now)),
      )
      for (const record of dryRun ? [] : gone) {
        tx.run('DELETE FROM certify_events WHERE reference = ?', record.reference)
        deleteRecord(tx, record)
      }
      return { removed: gone.length, kept: asked.length - gone.length }
    })
  }
}

/*
 * One attempt at a claim, with these candidates locked. Resolves with the candidate of a record that it would replace, if that one
 * is not locked.
 */
async function claimIn(
  tx: Tx,
  path: string,
  request: ClaimRequest & ClaimKey,
  locked: readonly string[],
  titles: Titles,
): Promise<Claim | { readonly replaces: string }> {
  const { reference, owner, allowClockSkew } = request
  const email = emailKey(request.target.email)
  const asked = scopeKey(request.scope)
  const scope = scopeText(asked)
  const [, now, recorded, service] = await Promise.all([
    Promise.all(locked.map((each) => tx.lock(`candidate ${each}`))),
    tx.now(),
    selectRecords(
      tx,
      `WHERE (email_key = ? AND scope = ?) OR id = ${ANSWERING} OR id = (SELECT max(id) FROM certify_sends) ORDER BY id`,
      email,
      scope,
      reference,
      reference,
    ),
    serviceOf(tx, asked.account),
  ])
  const newest = recorded.at(-1)
  if (newest !== undefined && now < newest.sentAt - MAX_CLOCK_SKEW_MS && allowClockSkew !== true)
    throw clockBehind(path, now, newest.sentAt)
  const found = recorded.map((record) => current(record, now))
  const own = found.find((record) => record.reference === reference)
  /* Only while its lease holds: otherwise others may have seen it as unknown, or resolved it. */
  if (own?.owner === owner && own.state === 'sending') return { kind: 'claimed', reference, owner }
  const isTaken = own !== undefined && !isFree(own, request)
  if (own !== undefined && !isTaken && !locked.includes(own.emailKey)) return { replaces: own.emailKey }
  const records = found.filter((record) => record.emailKey === email && scopeText(record.scope) === scope)
  const related = records.filter(sharing(subjectsOf(request.target)))
  for (const record of related) if (!recorded.includes(record)) updateRecord(tx, record)
  const answering = isTaken
    ? own
    : own === undefined && found.find((each) => each.reusedBy?.includes(reference) && !hasNothing(each))
  if (answering) return { kind: 'taken', record: recordOf(answering, reference) }
  /* What is recorded is answered, whichever service this client is for; but an invite of one service says nothing about another. */
  await bindAccount(tx, path, asked, { known: service })
  const blocked = blockingClaim(request, related, now)
  const reused = blocked && reusable(request, blocked, related)
  if (reused !== undefined) {
    const answersAlso = { ...reused, reusedBy: [...(reused.reusedBy ?? []), reference] }
    /* Without the caller's own reference, nobody would ask for it; and one that may have created something keeps its record. */
    if (reference !== owner && (own === undefined || !isUnproven(own))) {
      if (own !== undefined) deleteRecord(tx, own)
      updateRecord(tx, answersAlso, reused)
    }
    return { kind: 'taken', record: recordOf(answersAlso, reference) }
  }
  if (blocked !== undefined) return blocked
  /* With a new identifier: it is the newest record now, and a copy from before must be noticed. */
  if (own !== undefined) deleteRecord(tx, own)
  insertRecord(tx, titles.titled(newRecord(request, owner, now, own)))
  return { kind: 'claimed', reference, owner }
}

/** The facts that decide a change. */
interface Facts {
  /** Already `unknown` if its lease is over. */
  readonly record: StoredRecord | undefined
  /** The other records of the scope that have one of the invites in question. */
  readonly others: readonly StoredRecord[]
  readonly now: number
}

interface Changed<Result> {
  readonly next?: StoredRecord | undefined
  readonly result: Result
}

const NO_SERVICE = 'is needed: the account has no service in this ledger yet'

const BY_ID: Order = { by: 'id', after: ({ id }) => ['id > ?', id] }

/* Which records match. */
type Conditions = (now: number) => readonly Condition[]

/* Records whose lease has ended change their state without a write. */
const LAPSED = `SELECT count(*) AS revision FROM certify_sends WHERE ${IS_PENDING} AND state = 'sending' AND lease_until <= ?`

/* How many records or targets are read at once. */
const PAGE = 200

/*
 * One round trip: the database knows the candidate to lock. A record that was added after it looked, or whose reference was
 * claimed for another candidate since, is left alone: its candidate is not locked.
 */
async function lockAndRead(tx: Tx, reference: string, inviteIds: readonly string[]): Promise<Facts> {
  const ids = [...new Set(inviteIds)].toSorted()
  const [locked, , now, record, others] = await Promise.all([
    tx.lockFound(
      `SELECT 'candidate ' || email_key AS name FROM certify_sends WHERE id = ${ANSWERING}`,
      reference,
      reference,
    ),
    Promise.all(ids.map((inviteId) => tx.lock(`invite ${columnText(inviteId)}`))),
    tx.now(),
    findRecord(tx, reference),
    othersWith(tx, reference, ids),
  ])
  return record !== undefined && locked === `candidate ${record.emailKey}`
    ? { record, others, now }
    : { record: undefined, others: [], now }
}

function isEqual(one: StoredRecord, other: StoredRecord | undefined): boolean {
  return other !== undefined && recordText(one) === recordText(other)
}

function sharing(subjects: readonly string[]): (record: StoredRecord) => boolean {
  return (record) => record.subjects.some((each) => subjects.includes(each))
}
