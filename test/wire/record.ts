import type { WireInvite } from './bodies.ts'

/** What the service knows of one call: what it got and what it executed. It is the truth that a caller is held to. */
export class CallRecord {
  /** What all its invites begin with, and no others. */
  readonly prefix: string
  /** Requests that began to arrive, whole or not. */
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

  /** The last invite that was made, or the one that would have been. */
  get invite(): WireInvite {
    return this.executed.at(-1) ?? this.inviteOf(0)
  }

  private inviteOf(count: number): WireInvite {
    const inviteId = `${this.prefix}${count}`
    return { inviteId, challengeUrl: `https://certify.test/${inviteId}` }
  }
}
