import type { SendInput } from '../ledger/rules/entry.ts'

/** What sending some rows means. */
export interface PlannedSends {
  /** How many of them ask for an e-mail of the service, and how many do not. */
  readonly emails: { readonly sent: number; readonly notSent: number }
  /** How many of them are about each quiz or package, by its identifier: the first hundred of those. */
  readonly targets: ReadonlyMap<string, number>
  /** The hosts that their events go to, the first hundred. */
  readonly callbackHosts: readonly string[]
}

/** Sums up rows that may be sent. */
export class SendCounts {
  readonly #emails = { sent: 0, notSent: 0 }
  readonly #targets = new Map<string, number>()
  readonly #hosts = new Set<string>()

  add(input: SendInput): void {
    this.#emails[input.sendInviteEmail === false ? 'notSent' : 'sent'] += 1
    const target = 'packageId' in input ? input.packageId : input.quizId
    const count = this.#targets.get(target)
    if (count !== undefined || this.#targets.size < MOST_LISTED) this.#targets.set(target, (count ?? 0) + 1)
    const { callbackUrl } = input
    if (callbackUrl !== undefined && this.#hosts.size < MOST_LISTED) this.#hosts.add(new URL(callbackUrl).host)
  }

  /** What was summed up so far, and goes on with it. */
  counted(): PlannedSends {
    return { emails: this.#emails, targets: this.#targets, callbackHosts: [...this.#hosts] }
  }
}

/* How many different ones of a kind are listed: memory does not grow with them. */
const MOST_LISTED = 100
