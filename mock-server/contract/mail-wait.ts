/** Which e-mail to wait for. */
export interface MailQuery {
  /** The address that it is sent to, compared as the switch `candidateIdentity` says. Default: any. */
  readonly to?: string | undefined
  /** The `inviteId` of a known e-mail: only later ones count. */
  readonly after?: string | undefined
}

/** How to wait for an e-mail. */
export interface MailWait extends MailQuery {
  /** The time-out, in milliseconds of real time. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Aborts the wait. */
  readonly signal?: AbortSignalLike | undefined
}

/** The members of an `AbortSignal` that the mock uses. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
