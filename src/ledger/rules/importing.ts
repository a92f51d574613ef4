import { MAX_CLOCK_SKEW_MS } from '../../clock.ts'
import { inputInvalid, type Issue } from '../../errors.ts'
import { checkInput, type CreateInput, createOf } from '../../operations.ts'
import {
  isString,
  list,
  closedAs,
  once,
  optional,
  referenceOption,
  rule,
  string,
  timeOption,
  validate,
} from '../../validation.ts'
import type { LedgerScope, Target } from './model.ts'
import { newRecord } from './claiming.ts'
import { idKey, LINK_LIFETIME_MS, targetOf } from './key.ts'
import type { Imported, InviteImport } from './ledger-types.ts'
import { hasNothing, inviteIdsOf, type NewRecord, type StoredRecord } from './record.ts'

/** A checked import. */
export interface CheckedImport extends Pick<InviteImport, 'reference' | 'challengeUrl' | 'from'> {
  readonly input: CreateInput
  readonly target: Target
  readonly inviteIds: readonly string[]
  /** As given, in Unix milliseconds. */
  readonly createdAt: number | undefined
  readonly expiresAt: number | undefined
}

/** An import that breaks rules. */
export type InvalidImport = Extract<Imported, { readonly status: 'invalid' }>

/**
 * Checks all of them before any is recorded.
 *
 * @throws CertifyError INPUT_INVALID, outcome `not-executed`, if one is not valid, unless those are skipped
 */
export function checkImports(
  given: readonly InviteImport[],
  now: number,
  skipInvalid: boolean,
): readonly (CheckedImport | InvalidImport)[] {
  const { issues } = validate(imports(), given)
  if (issues !== undefined) throw inputInvalid('ledger.import', issues)
  const checked = given.map((each) => checkedImport(each, now))
  const found = checked.flatMap((each, index) =>
    isInvalid(each) ? each.issues.map(({ path, rule: broken }) => ({ path: `${index}.${path}`, rule: broken })) : [],
  )
  if (found.length > 0 && !skipInvalid) throw inputInvalid('ledger.import', found)
  return checked
}

export function isInvalid(checked: CheckedImport | InvalidImport): checked is InvalidImport {
  return 'issues' in checked
}

const isFilled = (value: unknown) => isString(value) && value.trim() !== ''
const filled = () => string(rule(isFilled, 'must not be blank'))

const imports = once(() => list(rule(() => true, '')))

const oneImport = once(() =>
  closedAs<InviteImport>()({
    email: string(),
    name: optional(string()),
    quizId: optional(filled()),
    packageId: optional(filled()),
    quizIds: optional(list(filled())),
    inviteIds: optional(
      list(
        filled(),
        rule<unknown[]>(({ length }) => length <= 50, 'must have at most 50 ids'),
      ),
    ),
    createdAt: timeOption(),
    expiresAt: timeOption(),
    reference: referenceOption(),
    challengeUrl: optional(filled()),
    from: filled(),
  }),
)

function checkedImport(given: InviteImport, now: number): CheckedImport | InvalidImport {
  const { issues: broken } = validate(oneImport(), given)
  if (broken !== undefined) return { status: 'invalid', issues: broken }
  const { email, name, quizId, packageId, quizIds, inviteIds = [], createdAt, expiresAt, ...rest } = given
  const candidate = { email, ...(name !== undefined && { name }) }
  const input = packageId === undefined ? { quizId: quizId ?? '', candidate } : { packageId, candidate }
  const checked = {
    ...rest,
    input,
    target: targetOf(input, quizIds),
    inviteIds: [...new Set(inviteIds.map(idKey))],
    createdAt: createdAt === undefined ? undefined : new Date(createdAt).getTime(),
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).getTime(),
  }
  const issues = faultsOf(checked, given, now)
  return issues.length > 0 ? { status: 'invalid', issues } : checked
}

/* What one record breaks beyond its shape. */
function faultsOf(
  { input, inviteIds, createdAt, expiresAt, challengeUrl }: CheckedImport,
  given: InviteImport,
  now: number,
): readonly Issue[] {
  const isSingle = given.packageId === undefined
  const { issues = [] } = checkInput(createOf(input), input, 'api-key')
  const isOne = isSingle !== (given.quizId === undefined)
  const faults: readonly (false | readonly [path: string, rule: string])[] = [
    !isOne && ['quizId', 'or packageId is needed, and only one of them'],
    isSingle && given.quizIds !== undefined && ['quizIds', 'is for a package'],
    isSingle && inviteIds.length > 1 && ['inviteIds', 'must be one: it is a single invite'],
    challengeUrl !== undefined && inviteIds.length !== 1 && ['challengeUrl', 'needs the id of its invite'],
    createdAt !== undefined && createdAt > now + MAX_CLOCK_SKEW_MS && ['createdAt', 'must not be in the future'],
    expiresAt !== undefined && expiresAt <= (createdAt ?? 0) && ['expiresAt', 'must be after createdAt'],
    ...issues
      .filter(({ path }) => path !== 'quizId' && path !== 'packageId')
      .map(({ path, rule: broken }) => [path.replace('candidate.', ''), broken] as const),
  ]
  return faults.filter((fault) => fault !== false).map(([path, broken]) => ({ path, rule: broken }))
}

/** The new record of an import, perhaps in place of one in which nothing was created, or why there is none. */
export type ImportDecision =
  | { readonly record: NewRecord; readonly replaced: StoredRecord | undefined }
  | Exclude<Imported, InvalidImport>

/**
 * Decides what becomes of an import. What is recorded already stays as it is.
 *
 * @param recorded the records of its candidate, those with its invites, and the one with its reference
 * @param owner of all records of one transaction: it has recorded those that are there already
 */
export function decideImport(
  given: CheckedImport,
  scope: LedgerScope,
  recorded: readonly StoredRecord[],
  owner: string,
  now: number,
): ImportDecision {
  const { expiresAt, reference = crypto.randomUUID(), target, input } = given
  const { createdAt = expiresAt === undefined ? now : Math.min(now, expiresAt - LINK_LIFETIME_MS) } = given
  const own = recorded.findLast((each) => each.reference === given.reference)
  const request = { scope, target, input, reference, leaseMs: 0 }
  const made = imported({ ...newRecord(request, owner, createdAt, own), sentAt: createdAt }, given, now)
  const reported = (
    record: StoredRecord,
    status: Exclude<Imported, InvalidImport>['status'] = record.owner === owner ? 'imported' : 'known',
  ) => ({
    status,
    reference: record.reference,
    state: record.state,
  })
  const isOfSame = (each: StoredRecord) =>
    isFor(each, made) && each.quizId === made.quizId && each.packageId === made.packageId
  if (own !== undefined && !isOfSame(own)) return reported(own, 'conflict')
  if (own !== undefined && !hasNothing(own)) return reported(own)
  const inScope = recorded.filter((each) => each.scope.account === scope.account && each.scope.world === scope.world)
  const holder = inScope.find((each) => given.inviteIds.some((inviteId) => inviteIdsOf(each).has(inviteId)))
  if (holder !== undefined) return reported(holder, isFor(holder, made) ? undefined : 'conflict')
  const known = inScope.find((each) => isOfSame(each) && (each.owner === owner || covers(each, given, made, now)))
  return known === undefined ? { record: made, replaced: own } : reported(known)
}

function imported(made: NewRecord, given: CheckedImport, now: number): NewRecord {
  const { inviteIds, challengeUrl, from, expiresAt = made.sentAt + LINK_LIFETIME_MS } = given
  const { quizId } = made
  const invite = {
    expiresAt: new Date(expiresAt).toISOString(),
    ...(given.expiresAt === undefined && { expiryAssumed: true as const }),
    ...(challengeUrl !== undefined && { challengeUrl }),
    ...(quizId !== undefined && { quizId }),
  }
  return {
    ...made,
    state: 'created',
    settledAt: now,
    expiresAt,
    invites: inviteIds.map((inviteId) => ({ inviteId, ...invite })),
    /* In place of "sent", which it was not from here. */
    history: [...made.history.slice(0, -1), { at: now, what: 'imported', from }],
  }
}

function isFor(one: StoredRecord, { scope, emailKey }: NewRecord): boolean {
  return one.emailKey === emailKey && one.scope.account === scope.account && one.scope.world === scope.world
}

/* Whether a record of the same candidate and target is about this invite, or its outcome is unknown. */
function covers(record: StoredRecord, given: CheckedImport, made: NewRecord, now: number): boolean {
  const { state, history, sentAt } = record
  if (state !== 'created') return state === 'sending' || state === 'unknown'
  if (given.inviteIds.length > 0 && inviteIdsOf(record).size > 0) return false
  const { createdAt, expiresAt } = given
  const isUndated = createdAt === undefined && expiresAt === undefined
  if (record.expiresAt > now) return isUndated || made.expiresAt <= record.expiresAt + DAY_MS
  const before = history.find(({ what }) => what === 'imported')
  const wasCreatedAt = isUndated ? before?.at : sentAt
  return (
    before !== undefined &&
    wasCreatedAt === sentAt &&
    (createdAt ?? sentAt) === sentAt &&
    (expiresAt ?? sentAt + LINK_LIFETIME_MS) === record.expiresAt
  )
}

/* Sheets have dates, the ledger has times. */
const DAY_MS = 86_400_000
