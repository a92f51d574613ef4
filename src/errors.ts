/**
 * Every code with the outcomes that it can have for a create; for a query the outcome is always `not-executed`. A code is
 * stable: a new one is a minor release, a changed meaning is a major one.
 */
export interface CertifyErrorOutcomes {
  /** An option is missing or wrong. Nothing was sent. */
  readonly CONFIG_INVALID: 'not-executed'
  /** An input breaks a rule: see `issues`. Nothing was sent. */
  readonly INPUT_INVALID: 'not-executed'
  /** Your function for the key, the headers or the callback URL failed, or took too long. Nothing was sent. */
  readonly CREDENTIALS_UNAVAILABLE: 'not-executed'
  /** The circuit breaker is open: the last creates had no clear response. Nothing was sent. See `retryAfterMs`. */
  readonly SERVICE_UNAVAILABLE: 'not-executed'
  /** No connection was made: DNS, refused, a connect time-out, a certificate. With `status`, something in front responded. */
  readonly UNREACHABLE: 'not-executed'
  /** Your signal ended the call. `unknown` once the request may have been sent: see `phase`. */
  readonly ABORTED: 'not-executed' | 'unknown'
  /** A time limit ended the call. `unknown` once the request may have been sent: see `phase`. */
  readonly TIMED_OUT: 'not-executed' | 'unknown'
  /** The connection ended after the request was sent, or your own `fetch` failed. */
  readonly CONNECTION_LOST: 'unknown'
  /** The key or the session is not accepted. */
  readonly UNAUTHENTICATED: 'not-executed'
  /** The key lacks the scope. */
  readonly FORBIDDEN: 'not-executed'
  /** The address or an identifier does not exist. */
  readonly NOT_FOUND: 'not-executed'
  /** The service refused the input: see `possibleReasons`. */
  readonly BAD_USER_INPUT: 'not-executed'
  /** There were too many requests: see `retryAfterMs`. */
  readonly RATE_LIMITED: 'not-executed'
  /** The response is a redirect. `not-executed` with 301, 307 and 308. */
  readonly REDIRECT_REFUSED: 'not-executed' | 'unknown'
  /** The service failed: 408, any 5xx, or an internal error code. */
  readonly SERVER_FAULT: 'unknown'
  /** The response cannot be read: it is not JSON, cut short, or too large. */
  readonly RESPONSE_UNREADABLE: 'unknown'
  /** The response contradicts the specification. `executed`: save `partial`, perhaps the only copy of the link. */
  readonly RESPONSE_UNEXPECTED: 'executed' | 'unknown'
  /** The response belongs to another request. */
  readonly RESPONSE_MISMATCHED: 'unknown'
  /** An error code that this version does not know, or none: see `apiCode`. */
  readonly API_ERROR: 'not-executed' | 'unknown'
  /** From the ledger: the reference belongs to a create with another input. See `prior`; it is empty for another account. */
  readonly REFERENCE_CONFLICT: 'not-executed'
  /** From the ledger: the candidate has an open invite. See `prior`. */
  readonly ALREADY_INVITED: 'not-executed'
  /** From the ledger: an earlier create may have made an invite. See `prior`. */
  readonly PRIOR_OUTCOME_UNKNOWN: 'not-executed'
  /** From the ledger: the account belongs to another service, or has moved to one. A queue may try again. Nothing was sent. */
  readonly WRONG_SERVICE: 'not-executed'
  /** From the ledger: another call is inviting this candidate. Call again to get its result. See `prior`. */
  readonly IN_PROGRESS: 'not-executed'
  /** The ledger cannot be read or written. Nothing was sent. */
  readonly LEDGER_UNUSABLE: 'not-executed'
  /** The ledger's clock is more than five minutes behind its newest record. Nothing was sent. */
  readonly CLOCK_SKEW: 'not-executed'
}

/** The kind of a failure: see {@link CertifyErrorOutcomes}. */
export type CertifyErrorCode = keyof CertifyErrorOutcomes

/** A caught error, as {@link isCertifyError} narrows it: `switch (error.code)` narrows `outcome`. */
export type AnyCertifyError = {
  readonly [Code in CertifyErrorCode]: CertifyError & {
    readonly code: Code
    readonly outcome: CertifyErrorOutcomes[Code] | 'not-executed'
  }
}[CertifyErrorCode]

/**
 * What became of the request at the service.
 *
 * - `not-executed`: nothing was created. You may call again.
 * - `unknown`: it may have been created. Do not call again until you have checked with the service.
 * - `executed`: it was created, but the response is not as expected; see {@link CertifyError.partial}.
 *
 * For a query it is always `not-executed`: reading changes nothing.
 */
export type Outcome = 'not-executed' | 'unknown' | 'executed'

/** How far a request got: nothing was sent, it may have been sent, the status arrived, the body began to arrive. */
export type Phase = 'not-sent' | 'sent' | 'headers' | 'body'

/** One problem with an input, an option or a response: the field and its rule. Never a value. */
export interface Issue {
  /** The field, as in `candidate.email`; empty for the whole input. */
  readonly path: string
  /** The rule, as in `must be a valid e-mail address`. */
  readonly rule: string
}

/** An earlier create that blocks another one. Without the candidate and the links, so it may be logged. */
export interface PriorRecord {
  /** The reference of its request, sent as `x-client-reference`. */
  readonly reference: string
  /**
   * - `sending`: it was recorded and may have been sent. The sending process has a lease.
   * - `created`: the service created the invite or the package invite.
   * - `refused`: the service refused it. `not-executed`: it did not get that far. Neither created anything.
   * - `unknown`: it may have been created; no readable response arrived.
   */
  readonly state: 'sending' | 'created' | 'refused' | 'not-executed' | 'unknown'
  /** ISO 8601 in UTC: when it was sent. */
  readonly sentAt: string
  /** The time since then, in milliseconds. */
  readonly ageMs: number
  /** The invites that it created, if they are known. */
  readonly invites: readonly {
    /** Identifies the invite. */
    readonly inviteId: string
    /** Its quiz, if it is known. */
    readonly quizId: string | undefined
    /** ISO 8601 in UTC: when its link closes. */
    readonly expiresAt: string
  }[]
  /** The quiz of a single invite. */
  readonly quizId: string | undefined
  /** The package of a package invite. */
  readonly packageId: string | undefined
  /** The campaign that sent it, if one did. */
  readonly campaign: string | undefined
  /** Its row in that campaign. */
  readonly row: number | undefined
}

type Optional<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined }

/** The contents of a {@link CertifyError}. All except `cause`, `apiMessages` and `partial` may be logged. */
export interface CertifyErrorDetails
  extends Pick<CertifyError, 'code' | 'outcome'>,
    Optional<Omit<CertifyError, 'code' | 'outcome' | 'toJSON' | keyof Error | symbol>> {
  /** What happened, in one sentence. */
  readonly message: string
  /** Only what the caller's own code threw, such as its `fetch`, or its reason for an abort. */
  readonly cause?: unknown
}

const BRAND = Symbol.for('certify-sdk/CertifyError')
/* Kept outside the error object: code that walks its fields does not find them, and the types of two copies agree. */
const HIDDEN = new WeakMap<Error, { readonly apiMessages: readonly string[]; readonly partial: unknown }>()
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/*
 * These are getters of a prototype, so that no log prints them by default. `util.inspect` can run such getters
 * (`showHidden` with `getters`), but it stops at a class with a built-in name.
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

/* What may be logged, in this order. */
const LOGGED = [
  ...([
    'name',
    'message',
    'code',
    'outcome',
    'retryable',
    'operation',
    'reference',
    'requestId',
    'status',
    'apiCode',
  ] as const),
  ...(['phase', 'hint', 'attempts', 'durationMs', 'retryAfterMs', 'issues', 'possibleReasons'] as const),
  ...(['prior', 'missingQuizIds'] as const),
]

/**
 * The only error that this package throws: what happened (`code`), the outcome of the request (`outcome`) and what to
 * do (`hint`).
 *
 * Its message, its JSON and the output of `console.log` come from an allow-list. They never contain the API key, a
 * candidate, a link or a text of the service. {@link apiMessages} has the service's texts. {@link partial} has the data
 * of an unexpected response. Neither is printed by default.
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
  /** Always `CertifyError`. */
  override readonly name = 'CertifyError'
  /**
   * What happened, as a stable code: see {@link CertifyErrorOutcomes}.
   *
   * - Refused before sending: CONFIG_INVALID, INPUT_INVALID, CREDENTIALS_UNAVAILABLE.
   * - On the way: SERVICE_UNAVAILABLE, UNREACHABLE, ABORTED, TIMED_OUT, CONNECTION_LOST, REDIRECT_REFUSED.
   * - Refused by the service: UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, BAD_USER_INPUT, RATE_LIMITED, API_ERROR.
   * - A failed service or an unusable response: SERVER_FAULT, RESPONSE_UNREADABLE, RESPONSE_UNEXPECTED,
   *   RESPONSE_MISMATCHED.
   * - From the ledger: REFERENCE_CONFLICT, ALREADY_INVITED, PRIOR_OUTCOME_UNKNOWN, IN_PROGRESS, WRONG_SERVICE, LEDGER_UNUSABLE,
   *   CLOCK_SKEW.
   */
  declare readonly code: CertifyErrorCode
  /**
   * What became of the request at the service. Look at it before you call again.
   *
   * - `not-executed`: this call created nothing. Always so for a query.
   * - `unknown`: something may have been created. Do not call again until you have checked with the service.
   * - `executed`: it was created, but the response is not as expected. Do not call again; save {@link partial}.
   */
  declare readonly outcome: Outcome
  /** The method that failed, as in `invites.create`. */
  declare readonly operation: string | undefined
  /**
   * The identifier of this call, sent as `x-client-reference`: a new UUID, or your own. For the create that blocks it, see
   * {@link prior}.
   */
  declare readonly reference: string | undefined
  /** The HTTP status, if a response arrived. */
  declare readonly status: number | undefined
  /** The service's own error code, known to this version or not. */
  declare readonly apiCode: string | undefined
  /** How far the request got before it ended. */
  declare readonly phase: Phase | undefined
  /** The service's identifier of the request, if it sent one as `x-request-id`. */
  declare readonly requestId: string | undefined
  /** How many attempts the call made. */
  declare readonly attempts: number | undefined
  /** The duration of the call with all its attempts and waits, in milliseconds. */
  declare readonly durationMs: number | undefined
  /** How long to wait before the next call, as the service or the circuit breaker asks, in milliseconds. */
  declare readonly retryAfterMs: number | undefined
  /**
   * Whether a queue may call again later with the same reference: it may then succeed, and creates nothing twice. For a
   * create it needs proof that nothing happened. Also true for refused credentials, which may be replaced.
   */
  declare readonly retryable: boolean
  /** The invalid fields and the rules that they break; never their values. */
  declare readonly issues: readonly Issue[]
  /**
   * With BAD_USER_INPUT: the causes that the specification documents for this operation. The code is the same for all.
   */
  declare readonly possibleReasons: readonly string[]
  /**
   * With ALREADY_INVITED, PRIOR_OUTCOME_UNKNOWN and IN_PROGRESS: the creates in the ledger that block this one. With
   * REFERENCE_CONFLICT: the create that has the reference.
   */
  declare readonly prior: readonly PriorRecord[]
  /** With ALREADY_INVITED for a package: its quizzes without an open invite, if only some of them have one. */
  declare readonly missingQuizIds: readonly string[]
  /** What to do about it, in one sentence, for a person. */
  declare readonly hint: string | undefined
  /** The service's own texts. You may show them to the caller. Do not log them: they may contain the candidate's data. */
  declare readonly apiMessages: readonly string[]
  /** With RESPONSE_UNEXPECTED: the `data` of the response, unchecked. It may hold the only copy of a link: save it. */
  declare readonly partial: unknown

  constructor(details: CertifyErrorDetails) {
    const { message, cause, apiMessages = [], partial, retryable = false, ...facts } = details
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, { retryable }, withoutEmpty(facts))
    HIDDEN.set(this, { apiMessages, partial })
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** True for every CertifyError, even one from another copy of this package or another realm. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === CertifyError ? isCertifyError(value) : Function.prototype[Symbol.hasInstance].call(this, value)
  }

  /** The fields that may be logged and are set. */
  toJSON(): Record<string, unknown> {
    return {
      ...withoutEmpty(Object.fromEntries(LOGGED.map((field) => [field, this[field]]))),
      /* Thrown by a function for the key or the headers. Any other cause may contain the request. */
      ...(this.code === 'CREDENTIALS_UNAVAILABLE' && loggableCause(this.cause)),
    }
  }
}

/* Empty lists are not the error's own: no log prints them. */
for (const list of ['issues', 'possibleReasons', 'prior', 'missingQuizIds'] as const) {
  Object.defineProperty(CertifyError.prototype, list, { value: Object.freeze([]), writable: true })
}

/* Not a class member: each declaration file would have its own symbol, and their types would not agree. */
Object.defineProperty(CertifyError.prototype, INSPECT, {
  value(this: CertifyError, _depth: number, options: unknown, inspect?: (value: unknown, options: unknown) => string) {
    const { name, message, ...fields } = this.toJSON()
    const stack = this.stack ?? `${String(name)}: ${String(message)}`
    return inspect === undefined ? stack : `${stack} ${inspect(fields, options)}`
  },
})

/** Whether a caught value is a {@link CertifyError}, even one from another copy of this package or another realm. */
export function isCertifyError(value: unknown): value is AnyCertifyError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
}

/* Any other field of an error may contain the program's configuration. */
function loggableCause(cause: unknown): { readonly cause?: Record<string, unknown> } {
  if (!(cause instanceof Error)) return {}
  const { name, message, code } = cause as Error & { readonly code?: unknown }
  return { cause: withoutEmpty({ name, message, code: typeof code === 'string' ? code : undefined }) }
}

/* Drops `undefined` and empty lists. */
function withoutEmpty(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

/** Every field with its rule, as one line for a message. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, rule }) => (path === '' ? `it ${rule}` : `${path} ${rule}`)).join('; ')
}

/** An input was refused. Nothing was sent. */
export function inputInvalid(operation: string, issues: readonly Issue[]): CertifyError {
  const message = `${operation}: the input is not valid: ${describeIssues(issues)}. Nothing was sent.`
  return refusal({ code: 'INPUT_INVALID', operation, message, hint: 'Correct the input.', issues })
}

/** Options were refused. */
export function optionsInvalid(of: string, issues: readonly Issue[], hint = 'Correct the options.'): CertifyError {
  const message = `The options of ${of} are not valid: ${describeIssues(issues)}.`
  return refusal({ code: 'CONFIG_INVALID', message, hint, issues })
}

/** An option of the client is empty or missing. */
export const notSet = (path: string): CertifyError =>
  clientInvalid(path, 'is not set', 'Is its environment variable set?')

/** An option of the client was refused. */
export function clientInvalid(path: string, rule: string, hint?: string): CertifyError {
  return optionsInvalid('the client', [{ path, rule }], hint)
}

/** The error of what was refused before anything was sent. */
export function refusal(details: Omit<CertifyErrorDetails, 'outcome'>): CertifyError {
  return new CertifyError({ ...details, outcome: 'not-executed' })
}
