/** What a failure is, in one word. Stable: a new code is a minor release, a changed meaning a major one. */
export type CertifyErrorCode =
  | 'CONFIG_INVALID'
  | 'INPUT_INVALID'
  | 'UNREACHABLE'
  | 'ABORTED'
  | 'TIMED_OUT'
  | 'CONNECTION_LOST'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BAD_USER_INPUT'
  | 'RATE_LIMITED'
  | 'REDIRECT_REFUSED'
  | 'SERVER_FAULT'
  | 'RESPONSE_UNREADABLE'
  | 'RESPONSE_UNEXPECTED'
  | 'RESPONSE_MISMATCHED'
  | 'API_ERROR'
  | 'ALREADY_INVITED'
  | 'PRIOR_OUTCOME_UNKNOWN'
  | 'LEDGER_UNUSABLE'

/**
 * What became of the request on the service's side.
 *
 * - `not-executed`: nothing was created; the same call may be made again.
 * - `unknown`: it may have been created. Do not repeat the call before somebody has checked.
 * - `executed`: it was created, but the answer is not what was asked for; see {@link CertifyError.partial}.
 *
 * For a query it is always `not-executed`: reading changes nothing.
 */
export type Outcome = 'not-executed' | 'unknown' | 'executed'

/** How far a request had got: nothing left, it may have left, the status line came, the body was coming. */
export type Phase = 'not-sent' | 'sent' | 'headers' | 'body'

/** One thing wrong with an input, an option or an answer: where, and which rule it breaks. Never a value. */
export interface Issue {
  /** The field, as in `candidate.email`; empty for the whole. */
  readonly path: string
  /** The rule, as in `must be a valid e-mail address`. */
  readonly rule: string
}

/** What a {@link CertifyError} is made of. All but the last two may be logged. */
export interface CertifyErrorDetails {
  readonly code: CertifyErrorCode
  readonly outcome: Outcome
  readonly message: string
  /** What to do about it, in one sentence. */
  readonly hint?: string | undefined
  readonly operation?: string | undefined
  readonly reference?: string | undefined
  readonly status?: number | undefined
  readonly apiCode?: string | undefined
  readonly phase?: Phase | undefined
  readonly requestId?: string | undefined
  readonly attempts?: number | undefined
  readonly durationMs?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly retryable?: boolean | undefined
  readonly issues?: readonly Issue[] | undefined
  readonly possibleReasons?: readonly string[] | undefined
  /** Only what the caller's own code threw or gave as the reason of an abort. */
  readonly cause?: unknown
  readonly apiMessages?: readonly string[] | undefined
  readonly partial?: unknown
}

const BRAND = Symbol.for('certify-sdk/CertifyError')
/* Outside of the objects, so that nothing which walks them can meet it, and so that the types of two copies agree. */
const HIDDEN = new WeakMap<Error, { readonly apiMessages: readonly string[]; readonly partial: unknown }>()
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/*
 * What has to be asked for by name. Inspection that runs getters of prototypes too (`showHidden` and `getters`) ends at a
 * class with the name of a built-in one.
 */
const ErrorWithHidden: ErrorConstructor = class extends Error {
  static override readonly name = 'Error'

  get apiMessages(): readonly string[] {
    return HIDDEN.get(this)?.apiMessages ?? []
  }

  get partial(): unknown {
    return HIDDEN.get(this)?.partial
  }
} as unknown as ErrorConstructor

/* What may be logged, in this order, beside the two lists. */
const LOGGED = [
  ...(['name', 'message', 'code', 'outcome', 'operation', 'reference', 'requestId', 'status', 'apiCode'] as const),
  ...(['phase', 'hint', 'attempts', 'durationMs', 'retryAfterMs'] as const),
]

/**
 * The only error that this package throws. It says what happened (`code`), what became of the request (`outcome`) and
 * what to do (`hint`).
 *
 * Its message, its JSON and what `console.log` prints of it are made from an allow-list: no API key, no candidate, no
 * link and none of the service's own words can reach them. Those words are in {@link apiMessages}, and what could be
 * saved of an unexpected answer is in {@link partial}; both have to be asked for by name.
 *
 * @example
 * ```ts
 * try {
 *   await client.invites.create(input)
 * } catch (error) {
 *   if (!isCertifyError(error)) throw error
 *   if (error.outcome !== 'not-executed') return askAPerson(error.reference) // do not call again
 *   if (error.code === 'BAD_USER_INPUT') return show(error.possibleReasons)
 * }
 * ```
 */
export class CertifyError extends ErrorWithHidden {
  override readonly name = 'CertifyError'
  declare readonly code: CertifyErrorCode
  declare readonly outcome: Outcome
  /** The method that failed, as in `invites.create`. */
  declare readonly operation: string | undefined
  /** A UUID of this call, made by the client and sent along as `x-client-reference`. */
  declare readonly reference: string | undefined
  /** The HTTP status, where an answer came. */
  declare readonly status: number | undefined
  /** The service's own error code, whether or not this version knows it. */
  declare readonly apiCode: string | undefined
  /** How far the request had got when it was given up. */
  declare readonly phase: Phase | undefined
  /** The service's identifier of the request, where it gave one in `x-request-id`. */
  declare readonly requestId: string | undefined
  /** How often the request was tried. */
  declare readonly attempts: number | undefined
  /** How long the call took with all its attempts and waits, in milliseconds. */
  declare readonly durationMs: number | undefined
  /** How long the service asked to wait before the next call, in milliseconds. */
  declare readonly retryAfterMs: number | undefined
  /**
   * Whether the client would send the same request again by itself, had it attempts and time left. For a create that takes
   * proof that nothing happened: it never left, or HTTP 429 without `data` and without a `path`.
   */
  declare readonly retryable: boolean
  /** The fields at fault and the rules that they break; never their values. */
  declare readonly issues: readonly Issue[]
  /** With BAD_USER_INPUT: the causes that the specification documents for this operation. The code cannot tell them apart. */
  declare readonly possibleReasons: readonly string[]
  declare readonly hint: string | undefined
  /** The service's own words. They may repeat the candidate's data: show them to the person who asked, never log them. */
  declare readonly apiMessages: readonly string[]
  /** With RESPONSE_UNEXPECTED: the `data` that came, unchecked. It may hold the only copy of a link: save it. */
  declare readonly partial: unknown

  constructor(details: CertifyErrorDetails) {
    const {
      message,
      cause,
      apiMessages = [],
      partial,
      issues = [],
      possibleReasons = [],
      retryable = false,
      ...facts
    } = details
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, withoutUndefined(facts), { issues, possibleReasons })
    Object.defineProperty(this, 'retryable', { value: retryable })
    HIDDEN.set(this, { apiMessages, partial })
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** True for every CertifyError, also one from another copy of this package or from another realm. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === CertifyError ? isCertifyError(value) : Function.prototype[Symbol.hasInstance].call(this, value)
  }

  /** The fields that may be logged, without those that are not set. */
  toJSON(): Record<string, unknown> {
    const { issues, possibleReasons } = this
    return withoutUndefined({
      ...Object.fromEntries(LOGGED.map((field) => [field, this[field]])),
      issues: issues.length > 0 ? issues : undefined,
      possibleReasons: possibleReasons.length > 0 ? possibleReasons : undefined,
    })
  }

  [INSPECT](_depth: number, options: unknown, inspect?: (value: unknown, options: unknown) => string): string {
    const { name, message, ...fields } = this.toJSON()
    const stack = this.stack ?? `${String(name)}: ${String(message)}`
    return inspect === undefined ? stack : `${stack} ${inspect(fields, options)}`
  }
}

/** Whether a caught value is a {@link CertifyError}, also from another copy of this package or from another realm. */
export function isCertifyError(value: unknown): value is CertifyError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
}

/** Whether a caught value is a {@link CertifyError} that leaves open whether something was created. */
export function isOutcomeUnknown(value: unknown): value is CertifyError {
  return isCertifyError(value) && value.outcome === 'unknown'
}

function withoutUndefined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
