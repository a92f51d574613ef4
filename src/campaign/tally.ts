import type { CertifyError } from '../index.ts'
import type { PlannedStatus, RowEvent, RowStatus } from './row.ts'

/** What a run has come to so far. */
export class Tally {
  readonly counts: Record<RowStatus, number> = {
    created: 0,
    already_invited: 0,
    duplicate: 0,
    rejected: 0,
    refused: 0,
    failed: 0,
    unknown: 0,
  }
  /** The failure that every row would share. */
  error: CertifyError | undefined
  emailsNotSent = 0
  /** Rows that were sent by this run and not created. */
  failures = 0

  /** @param bySending whether this run sent it, or tried to */
  add({ status, input, invites }: RowEvent, bySending: boolean): void {
    this.counts[status] += 1
    if (bySending && FAILURES.has(status)) this.failures += 1
    if (status === 'created' && input?.sendInviteEmail !== false) {
      this.emailsNotSent += invites.filter(({ emailSent }) => emailSent === false).length
    }
  }

  /** How many of the planned rows are not among what was added. */
  remaining(planned: Readonly<Record<PlannedStatus, number>>): number {
    return sum(planned) - sum(this.counts)
  }
}

const FAILURES: ReadonlySet<RowStatus> = new Set(['refused', 'failed', 'unknown'])

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
