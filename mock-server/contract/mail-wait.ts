/** Which e-mail is waited for. */
export interface MailQuery {
  /** The address that it is sent to, compared as the switch `candidateIdentity` says; any where left out. */
  readonly to?: string | undefined
  /** The `inviteId` of an e-mail that is known already: only those sent after it count. */
  readonly after?: string | undefined
}

/** How an e-mail is waited for. */
export interface MailWait extends MailQuery {
  /** How long it is waited for, in milliseconds of real time. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Ends the waiting. */
  readonly signal?: AbortSignalLike | undefined
}

/** As much of an `AbortSignal` as is needed here: assignable from the platform's own. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
