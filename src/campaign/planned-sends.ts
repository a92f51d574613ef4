import type { PlannedRow } from './row.ts'

/** What a set of rows would send. */
export interface PlannedSends {
  /** The number of rows with an e-mail from the service, and without. */
  readonly emails: { readonly sent: number; readonly notSent: number }
  /** The number of rows of each quiz or package, by its identifier. */
  readonly targets: ReadonlyMap<string, number>
  /** The hosts of the callback URLs. */
  readonly callbackHosts: readonly string[]
}

/** Counts what rows would send. */
export function plannedSends(rows: readonly PlannedRow[]): PlannedSends {
  const emails = { sent: 0, notSent: 0 }
  const targets = new Map<string, number>()
  const hosts = new Set<string>()
  for (const { input } of rows) {
    if (input === undefined) continue
    emails[input.sendInviteEmail === false ? 'notSent' : 'sent'] += 1
    const target = 'packageId' in input ? input.packageId : input.quizId
    targets.set(target, (targets.get(target) ?? 0) + 1)
    if (input.callbackUrl !== undefined) hosts.add(new URL(input.callbackUrl).host)
  }
  return { emails, targets, callbackHosts: [...hosts] }
}
