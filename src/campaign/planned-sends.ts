import type { SendInput } from '../ledger/rules/entry.ts'

/** What a set of rows would send. */
export interface PlannedSends {
  /** The number of rows with an e-mail from the service, and without. */
  readonly emails: { readonly sent: number; readonly notSent: number }
  /** The number of rows of each quiz or package, by its identifier: the first hundred. */
  readonly targets: ReadonlyMap<string, number>
  /** The hosts of the callback URLs: the first hundred. */
  readonly callbackHosts: readonly string[]
}

/** Counts rows that may be sent. */
export class SendCounts {
  readonly #emails = { sent: 0, notSent: 0 }
  readonly #targets = new Map<string, number>()
  readonly #hosts = new Set<string>()

  /** @param quizIds of a package: the quizzes that are sent in its place */
  add(input: SendInput, quizIds?: readonly string[]): void {
    this.#emails[input.sendInviteEmail === false ? 'notSent' : 'sent'] += 1
    for (const target of quizIds ?? ['packageId' in input ? input.packageId : input.quizId]) {
      const count = this.#targets.get(target)
      if (count !== undefined || this.#targets.size < MOST_LISTED) this.#targets.set(target, (count ?? 0) + 1)
    }
    const { callbackUrl } = input
    if (callbackUrl !== undefined && this.#hosts.size < MOST_LISTED) this.#hosts.add(new URL(callbackUrl).host)
  }

  /** The counts. They change if rows are added later. */
  counted(): PlannedSends {
    return { emails: this.#emails, targets: this.#targets, callbackHosts: [...this.#hosts] }
  }
}

/* A maximum, so that memory does not grow with the rows. */
const MOST_LISTED = 100
