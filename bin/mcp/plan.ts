import { randomUUID } from 'node:crypto'
import type { PlannedStatus } from '../../src/campaign/index.ts'
import type { SendInput } from '../../src/ledger/index.ts'
import type { InviteRow } from '../ledger/invite-row.ts'

/** One invite that an agent asks for. */
export interface WantedInvite {
  readonly email: string
  readonly name: string | null
  readonly quizId: string | null
  readonly packageId: string | null
  readonly sendsEmail: boolean
  readonly externalReference: string | null
}

/** What would become of it. */
export interface PlannedInvite extends WantedInvite {
  readonly number: number
  readonly status: PlannedStatus
  readonly meaning: string
  /** The name of the skill or the package; `null` if the service does not list it. */
  readonly title: string | null
  /** Whether the service lists the identifier; `null` if this key may not list them. */
  readonly isListed: boolean | null
  /** How many invites the service would create: one for each skill of a package. `null`, and refused, if that is unknown. */
  readonly invites: number | null
  readonly problems: readonly string[]
  readonly duplicateOf: number | null
}

/** What would be sent, and where. Two equal outlines mean that nothing has changed. */
export interface Outline {
  readonly service: string
  readonly account: string
  readonly ledger: string
  /** The host that the events of the invites come to. */
  readonly callbackHost: string | null
  readonly rows: readonly PlannedInvite[]
}

export interface Plan extends Outline {
  readonly id: string
}

export interface Planned extends Outline {
  /** What the ledger has for each row. */
  readonly inLedger: readonly (readonly InviteRow[])[]
  readonly isLedgerEmpty: boolean
  /** That the ledger has invites for another account, too. */
  readonly accountWarning: string | undefined
}

export function newPlan(planned: Planned): Plan {
  return { id: `plan_${randomUUID()}`, ...outlineOf(planned) }
}

/** Whether the same plan would be made now. */
export function isUnchanged(plan: Plan, now: Planned): boolean {
  return JSON.stringify(outlineOf(plan)) === JSON.stringify(outlineOf(now))
}

function outlineOf({ service, account, ledger, callbackHost: host, rows }: Outline): Outline {
  return { service, account, ledger, callbackHost: host, rows }
}

/** The input of a create. The client checks it. */
export function inputOf({ email, name, quizId, packageId, sendsEmail, externalReference }: WantedInvite): SendInput {
  const input = {
    ...(packageId === null ? { quizId: quizId ?? undefined } : { packageId }),
    candidate: { name: name ?? undefined, email },
    sendInviteEmail: sendsEmail ? undefined : false,
    externalReference: externalReference ?? undefined,
  }
  return input as SendInput
}
