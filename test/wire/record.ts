import type { WireInvite } from './bodies.ts'

/** What the service knows about one call: what it received and what it executed. The caller is held to it. */
export class CallRecord {
  /** The prefix of all its invites, and of no others. */
  readonly prefix: string
  /** Requests that began to arrive, complete or not. */
  requests = 0
  /** Those of them that came on a connection that had served another one. */
  onKept = 0
  /** Those that began after one had been executed. */
  requestsAfterExecution = 0
  readonly executed: WireInvite[] = []

  constructor(reference: string) {
    this.prefix = `inv_${reference}_`
  }

  begin(isKept: boolean): void {
    this.requests += 1
    if (isKept) this.onKept += 1
    if (this.executed.length > 0) this.requestsAfterExecution += 1
  }

  execute(): void {
    this.executed.push(this.inviteOf(this.executed.length + 1))
  }

  /** The last invite that was created, or the one that would have been. */
  get invite(): WireInvite {
    return this.executed.at(-1) ?? this.inviteOf(0)
  }

  private inviteOf(count: number): WireInvite {
    const inviteId = `${this.prefix}${count}`
    return { inviteId, challengeUrl: `https://certify.test/${inviteId}` }
  }
}
