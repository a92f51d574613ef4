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
  | 'API_ERROR'

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
  readonly issues?: readonly Issue[] | undefined
  readonly possibleReasons?: readonly string[] | undefined
  /** Only what the caller's own code threw or gave as the reason of an abort. */
  readonly cause?: unknown
  readonly apiMessages?: readonly string[] | undefined
  readonly partial?: unknown
}

const BRAND = Symbol.for('certify-sdk/CertifyError')
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

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
export class CertifyError extends Error {
  override readonly name = 'CertifyError'
  readonly code: CertifyErrorCode
  readonly outcome: Outcome
  /** The method that failed, as in `invites.create`. */
  readonly operation: string | undefined
  /** A UUID of this call, made by the client and sent along as `x-client-reference`. */
  readonly reference: string | undefined
  /** The HTTP status, where an answer came. */
  readonly status: number | undefined
  /** The service's own error code, whether or not this version knows it. */
  readonly apiCode: string | undefined
  /** How far the request had got when it was given up. */
  readonly phase: Phase | undefined
  /** The fields at fault and the rules that they break; never their values. */
  readonly issues: readonly Issue[]
  /** With BAD_USER_INPUT: the causes that the specification documents for this operation. The code cannot tell them apart. */
  readonly possibleReasons: readonly string[]
  readonly hint: string | undefined
  readonly #apiMessages: readonly string[]
  readonly #partial: unknown

  constructor(details: CertifyErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.outcome = details.outcome
    this.operation = details.operation
    this.reference = details.reference
    this.status = details.status
    this.apiCode = details.apiCode
    this.phase = details.phase
    this.issues = details.issues ?? []
    this.possibleReasons = details.possibleReasons ?? []
    this.hint = details.hint
    this.#apiMessages = details.apiMessages ?? []
    this.#partial = details.partial
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** True for every CertifyError, also one from another copy of this package or from another realm. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === CertifyError ? isCertifyError(value) : Function.prototype[Symbol.hasInstance].call(this, value)
  }

  /** The service's own words. They may repeat the candidate's data: show them to the person who asked, never log them. */
  get apiMessages(): readonly string[] {
    return this.#apiMessages
  }

  /** With RESPONSE_UNEXPECTED: the `data` that came, unchecked. It may hold the only copy of a link: save it. */
  get partial(): unknown {
    return this.#partial
  }

  /** The fields that may be logged, without those that are not set. */
  toJSON(): Record<string, unknown> {
    const { name, message, code, outcome, operation, reference, status, apiCode, phase, hint } = this
    const fields = { name, message, code, outcome, operation, reference, status, apiCode, phase, hint }
    const lists = { issues: this.issues, possibleReasons: this.possibleReasons }
    return {
      ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
      ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    }
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
