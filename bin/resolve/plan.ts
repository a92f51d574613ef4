import { emailKey, type Ledger, type LedgerEntry } from '../../src/ledger/index.ts'
import type { ScopeFilter } from '../ledger/list-invites.ts'
import type { GivenFinding } from './given-finding.ts'
import { isSaidNotCreated } from './not-created.ts'

/** What will become of a given finding. */
export interface PlannedFinding {
  readonly given: GivenFinding
  readonly status: 'planned' | 'undecided' | 'duplicate' | 'rejected'
  /** The send, if there is one. */
  readonly entry: LedgerEntry | undefined
  /** Why it is not planned. */
  readonly message: string | undefined
}

/**
 * Finds the send of each finding, and decides which findings can be recorded. Changes nothing.
 *
 * @param scope in which addresses are looked up; references are looked up in the whole ledger
 */
export async function planFindings(
  ledger: Ledger,
  given: readonly GivenFinding[],
  scope: ScopeFilter,
): Promise<readonly PlannedFinding[]> {
  const found = await together(given, (each) => planOne(ledger, each, scope))
  const single = withoutRepeated(found)
  const now = ledger.clock.now()
  const taken = await together(single, async (each) =>
    (await isTaken(ledger, each, now)) ? reject(each, TAKEN) : each,
  )
  return withoutSharedInvites(taken)
}

const TAKEN = 'its invite is recorded for another candidate or quiz'

/* What is asked in the same moment is faster, and must not be too much for the memory. */
async function together<From, To>(list: readonly From[], act: (each: From) => Promise<To>): Promise<readonly To[]> {
  const done: To[] = []
  for (let at = 0; at < list.length; at += TOGETHER) {
    done.push(...(await Promise.all(list.slice(at, at + TOGETHER).map(act))))
  }
  return done
}

const TOGETHER = 500

async function planOne(ledger: Ledger, given: GivenFinding, scope: ScopeFilter): Promise<PlannedFinding> {
  const rejected = (message: string, entry?: LedgerEntry): PlannedFinding => {
    return { given, status: 'rejected', entry, message }
  }
  const { entry, message } = await find(ledger, given, scope)
  if (given.faults.length > 0) return rejected(given.faults.join('; '), entry)
  if (entry === undefined) return rejected(message ?? '')
  if (given.finding === undefined) return { given, status: 'undecided', entry, message: undefined }
  if (isRecorded(entry, given)) return { given, status: 'duplicate', entry, message: 'is recorded already' }
  const fault = faultOf(entry, given)
  return fault === undefined ? { given, status: 'planned', entry, message: undefined } : rejected(fault, entry)
}

async function find(
  ledger: Ledger,
  given: GivenFinding,
  scope: ScopeFilter,
): Promise<{ readonly entry?: LedgerEntry | undefined; readonly message?: string }> {
  const { entry, reference, email, quizId, packageId } = given
  if (entry !== undefined) return { entry }
  if (reference !== undefined) {
    return { entry: await ledger.find(reference), message: 'the ledger has no such reference' }
  }
  const sends: LedgerEntry[] = []
  for await (const send of ledger.list({ ...scope, email })) {
    if (isFor(send, { quizId, packageId })) sends.push(send)
  }
  /* One that is still being sent may be meant too. */
  const [open, ...others] = sends.filter(({ state }) => state === 'unknown' || state === 'sending')
  if (others.length > 0) {
    const key = (quizId ?? packageId) === undefined ? 'quiz_id or package_id' : 'the reference'
    return { message: `that address has ${others.length + 1} unknown sends: it needs ${key}` }
  }
  const done = open ?? sends.find((send) => isRecorded(send, given))
  if (done !== undefined) return { entry: done }
  const states = [...new Set(sends.map(({ state }) => state))].join(', ')
  return { message: `the ledger has no unknown send to that address${states === '' ? '' : `, only ${states}`}` }
}

function isFor(
  send: LedgerEntry,
  { quizId, packageId }: { readonly quizId?: string | undefined; readonly packageId?: string | undefined },
): boolean {
  return (quizId === undefined || send.quizId === quizId) && (packageId === undefined || send.packageId === packageId)
}

/* A file that is given again, after a run that was interrupted, is no mistake. */
function isRecorded(entry: LedgerEntry, { finding, ...given }: GivenFinding): boolean {
  const ids = new Set(entry.invites.map(({ inviteId }) => inviteId))
  const found = invitesOf(finding)
  if (finding === undefined || faultOf({ ...entry, state: 'unknown' }, { finding, ...given }) !== undefined)
    return false
  return found.length > 0 ? entry.state === 'created' && found.every((id) => ids.has(id)) : isSaidNotCreated(entry)
}

/* The ledger checks the state again when it records. */
function faultOf(entry: LedgerEntry, { email, finding, ...given }: GivenFinding): string | undefined {
  const { state, packageId, input } = entry
  /* In a file whose columns were sorted one by one, nothing fits together any more. */
  if (email !== undefined && emailKey(email) !== emailKey(input.candidate.email))
    return 'that reference is of another address'
  if (!isFor(entry, given)) return 'that reference is of another quiz or package'
  /* An invite that is found later corrects what a person said. */
  const isCorrection = isSaidNotCreated(entry) && invitesOf(finding).length > 0
  if (state !== 'unknown' && !isCorrection) return `that send is not unknown, but ${state}`
  const isSingle = packageId === undefined
  return isSingle && invitesOf(finding).length > 1
    ? 'that send was for a single invite, and it has several ids'
    : undefined
}

/* Of two findings that are the same, the first one counts. Of two that differ, nobody knows which is right. */
function withoutRepeated(planned: readonly PlannedFinding[]): readonly PlannedFinding[] {
  const sameSend = new Map<string, PlannedFinding[]>()
  for (const each of planned) {
    if (each.entry === undefined || each.status === 'undecided') continue
    const { reference } = each.entry
    sameSend.set(reference, [...(sameSend.get(reference) ?? []), each])
  }
  return planned.map((each) => {
    if (!isPlanned(each)) return each
    const same = sameSend.get(each.entry?.reference ?? '') ?? []
    const unusable = same.find((other) => !isPlanned(other))
    if (unusable !== undefined)
      return reject(each, `row ${unusable.given.row} is about the same send, and is not valid`)
    const other = same.find(({ given }) => textOf(given) !== textOf(each.given))
    if (other !== undefined) return reject(each, `row ${other.given.row} says something else about the same send`)
    const [first] = same
    if (first === undefined || first === each) return each
    return { ...each, status: 'duplicate', message: `repeats row ${first.given.row}` }
  })
}

async function isTaken(ledger: Ledger, { status, entry, given }: PlannedFinding, now: number): Promise<boolean> {
  if (status !== 'planned' || entry === undefined) return false
  for (const inviteId of invitesOf(given.finding)) {
    const { baseUrl, account, world } = entry
    for await (const other of ledger.list({ baseUrl, account, world, inviteId, state: 'created' })) {
      const invite = other.invites.find((each) => each.inviteId === inviteId)
      const isOpen = invite !== undefined && Date.parse(invite.expiresAt) > now
      if (isOpen && isForAnother(entry, other, invite.quizId)) return true
    }
  }
  return false
}

/* A value that was copied down a column. */
function withoutSharedInvites(planned: readonly PlannedFinding[]): readonly PlannedFinding[] {
  const uses = new Map<string, PlannedFinding[]>()
  for (const each of planned.filter(isPlanned)) {
    for (const id of invitesOf(each.given.finding)) uses.set(id, [...(uses.get(id) ?? []), each])
  }
  return planned.map((each) => {
    const { entry, given } = each
    if (!isPlanned(each) || entry === undefined) return each
    const sharing = invitesOf(given.finding).flatMap((id) => uses.get(id) ?? [])
    const other = sharing.find((use) => use.entry !== undefined && isForAnother(entry, use.entry))
    return other === undefined ? each : reject(each, `row ${other.given.row} has the same invite_id for another send`)
  })
}

/* As the ledger decides it. */
function isForAnother(one: LedgerEntry, other: LedgerEntry, quizId = other.quizId): boolean {
  if (one.baseUrl !== other.baseUrl || one.account !== other.account || one.world !== other.world) return false
  if (emailKey(one.input.candidate.email) !== emailKey(other.input.candidate.email)) return true
  return one.quizId !== undefined && quizId !== undefined && one.quizId !== quizId
}

function isPlanned({ status }: PlannedFinding): boolean {
  return status === 'planned'
}

function reject(planned: PlannedFinding, message: string): PlannedFinding {
  return { ...planned, status: 'rejected', message }
}

/** The ids of the invites that were created. */
export function invitesOf(finding: GivenFinding['finding']): readonly string[] {
  return [finding?.created ?? []].flat()
}

function textOf({ finding }: GivenFinding): string {
  return JSON.stringify(invitesOf(finding).toSorted())
}
