import { type CertifyErrorCode, type CertifyErrorDetails, describeIssues, type Outcome, type Phase } from '../errors.ts'
import type { Ending } from '../clock.ts'

/** Whether a request reads or creates. It counts as a mutation unless it is certainly a query. */
export type OperationKind = 'query' | 'mutation'

/** Every way in which a request can fail. Each has its own meaning for the request. */
export type FailureKind = keyof typeof FAILURES

/** What errors say about the operation that failed. */
export interface OperationFacts {
  /** The caller's name for it, as in `invites.create`. */
  readonly name: string
  readonly kind: OperationKind
  /** The scope that the credentials need. */
  readonly scope?: string
  /** The causes that the specification documents for BAD_USER_INPUT. */
  readonly possibleReasons?: readonly string[]
}

/** Reads a header of a response, by its name. */
export type HeaderReader = (name: string) => string | null

type Shown = 'phase' | 'status' | 'apiCode' | 'apiMessages' | 'issues' | 'partial' | 'cause' | 'hint'

/** Why an attempt failed. */
export interface Failure extends Pick<CertifyErrorDetails, Shown> {
  readonly kind: FailureKind
  /** The runtime's error code, the content that came instead of a GraphQL result, or the option whose function failed. */
  readonly reason?: string | undefined
  /** If a whole response arrived. */
  readonly header?: HeaderReader
}

/** An attempt failed. It never leaves the transport. */
export class AttemptFailed extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.kind)
    this.failure = failure
  }
}

/** An attempt was ended by its caller or its time limit, in this phase. */
export function endedEarly({ by, reason }: Ending, phase: Phase, status?: number): AttemptFailed {
  const kind = phase === 'not-sent' ? (`${by}BeforeSending` as const) : by
  return new AttemptFailed({ kind, phase, status, cause: reason })
}

/** What errors say about one kind of failure. */
export interface FailureRule {
  readonly code: CertifyErrorCode
  /** The outcome of a mutation. A query changes nothing: its outcome is always `not-executed`. */
  readonly outcome: Outcome
  /**
   * Which requests the call repeats: for a create, only after proof that it was not executed. `later`: none, but its
   * caller may. Absent: none.
   */
  readonly retry?: 'always' | 'queries' | 'later'
  /** What happened, as a clause; `status` and `apiCode` follow in brackets. */
  readonly what: string
  /** What to do, if the outcome alone does not say it. */
  readonly hint?: string
}

/** Every kind of failure, with its code, outcome, retry rule and sentences. */
export const FAILURES = {
  unsendable: {
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    what: 'your function returned what cannot be sent',
  },
  fetchMissing: {
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    what: 'this runtime has no `fetch`',
    hint: 'Give the client one, in its option `fetch`.',
  },
  credentialsUnavailable: {
    code: 'CREDENTIALS_UNAVAILABLE',
    outcome: 'not-executed',
    retry: 'always',
    what: 'your function failed',
    hint: 'Nothing was sent. Its own error is the cause.',
  },
  providedLate: {
    code: 'CREDENTIALS_UNAVAILABLE',
    outcome: 'not-executed',
    retry: 'always',
    what: 'your function took too long',
    hint: 'Nothing was sent. Make it faster, or allow each attempt more time.',
  },
  unreachable: {
    code: 'UNREACHABLE',
    outcome: 'not-executed',
    retry: 'always',
    what: 'the service could not be reached',
    hint: 'Check the base URL, the network and any proxy.',
  },
  untrusted: {
    code: 'UNREACHABLE',
    outcome: 'not-executed',
    retry: 'always',
    what: 'the certificate was not accepted',
    hint: 'Check its name and dates, or set NODE_EXTRA_CA_CERTS.',
  },
  turnedAway: {
    code: 'UNREACHABLE',
    outcome: 'not-executed',
    retry: 'later',
    what: 'something in front of the service responded in its place',
    hint: 'A gateway, a firewall or a proxy may stand in between: check the base URL and what it leads to, or call again later.',
  },
  abortedBeforeSending: {
    code: 'ABORTED',
    outcome: 'not-executed',
    what: 'the call was aborted before it was sent',
  },
  aborted: { code: 'ABORTED', outcome: 'unknown', what: 'the call was aborted after it had been sent' },
  timedOutBeforeSending: {
    code: 'TIMED_OUT',
    outcome: 'not-executed',
    retry: 'always',
    what: 'the time ran out before the request was sent',
    hint: 'Allow each attempt more time.',
  },
  timedOut: { code: 'TIMED_OUT', outcome: 'unknown', retry: 'queries', what: 'no complete response came in time' },
  connectionLost: {
    code: 'CONNECTION_LOST',
    outcome: 'unknown',
    retry: 'queries',
    what: 'the connection ended after the request had been sent',
  },
  fetchFailed: { code: 'CONNECTION_LOST', outcome: 'unknown', retry: 'queries', what: 'the given `fetch` failed' },
  redirected: {
    code: 'REDIRECT_REFUSED',
    outcome: 'not-executed',
    what: 'the service returned a redirect, which is never followed',
    hint: 'Check the base URL.',
  },
  redirectedAfterPost: {
    code: 'REDIRECT_REFUSED',
    outcome: 'unknown',
    what: 'the service returned a redirect, which is never followed',
  },
  unauthenticated: {
    code: 'UNAUTHENTICATED',
    outcome: 'not-executed',
    retry: 'later',
    what: 'the service did not accept the credentials',
    hint: 'Check the API key and the base URL.',
  },
  forbidden: {
    code: 'FORBIDDEN',
    outcome: 'not-executed',
    retry: 'later',
    what: 'the credentials lack the scope for this operation',
  },
  notFound: {
    code: 'NOT_FOUND',
    outcome: 'not-executed',
    what: 'the service did not find what was requested',
    hint: 'Check the base URL and the identifiers.',
  },
  badUserInput: {
    code: 'BAD_USER_INPUT',
    outcome: 'not-executed',
    what: 'the service refused the input',
    hint: 'No reason is known but the messages of the service.',
  },
  rateLimited: {
    code: 'RATE_LIMITED',
    outcome: 'not-executed',
    retry: 'always',
    what: 'the service is limiting requests',
    hint: 'Wait, then call again.',
  },
  rateLimitedByCode: {
    code: 'RATE_LIMITED',
    outcome: 'not-executed',
    retry: 'queries',
    what: 'the service is limiting requests',
    hint: 'Wait, then call again.',
  },
  serverFault: { code: 'SERVER_FAULT', outcome: 'unknown', retry: 'queries', what: 'the service failed' },
  unreadable: {
    code: 'RESPONSE_UNREADABLE',
    outcome: 'unknown',
    retry: 'queries',
    what: 'the response could not be read',
    hint: 'It may have been created: check with the service, and check the base URL.',
  },
  unexpected: {
    code: 'RESPONSE_UNEXPECTED',
    outcome: 'executed',
    what: 'the response is not as expected',
    hint: 'It was created: do not call again. Save the response (`partial`): it has the data.',
  },
  failedBelow: {
    code: 'RESPONSE_UNEXPECTED',
    outcome: 'unknown',
    what: 'the service failed after it had executed the request',
  },
  mismatched: {
    code: 'RESPONSE_MISMATCHED',
    outcome: 'unknown',
    what: 'the response belongs to another request',
  },
  unexpectedEmpty: { code: 'RESPONSE_UNEXPECTED', outcome: 'unknown', what: 'the response is empty' },
  refused: {
    code: 'API_ERROR',
    outcome: 'not-executed',
    what: 'the service refused the request',
    hint: 'No reason is known but the messages of the service.',
  },
  refusedWithoutCode: {
    code: 'API_ERROR',
    outcome: 'not-executed',
    retry: 'later',
    what: 'the service refused the request without a code',
    hint: 'No reason is known but the messages of the service.',
  },
  unexplained: {
    code: 'API_ERROR',
    outcome: 'unknown',
    what: 'the service returned an unknown error',
  },
} as const satisfies Record<string, FailureRule>

/** What to do, by outcome, if the failure itself has no hint. */
export const HINTS: Readonly<Record<Outcome, string>> = {
  'not-executed': 'Nothing was created; you may call again.',
  unknown: 'It may have been created: check with the service before you call again.',
  executed: 'It was created: do not call again.',
}

/** The outcome of a request of this kind after this failure. */
export function outcomeOf(kind: OperationKind, failure: FailureKind): Outcome {
  return kind === 'query' ? 'not-executed' : FAILURES[failure].outcome
}

/** Whether the call itself repeats a request of this kind after this failure. */
export function isRepeated(kind: OperationKind, failure: FailureKind): boolean {
  const { retry }: FailureRule = FAILURES[failure]
  return retry === 'always' || (retry === 'queries' && kind === 'query')
}

/** The facts and sentences of a failure, apart from its attempt. */
export function describeFailure(
  operation: OperationFacts,
  { kind, reason, header: _header, ...details }: Failure,
): CertifyErrorDetails {
  const { code, retry, what }: FailureRule = FAILURES[kind]
  const outcome = outcomeOf(operation.kind, kind)
  const facts = [reason, details.status && `HTTP ${details.status}`, details.apiCode].filter(Boolean).join(', ')
  const brokenRules = details.issues === undefined ? '' : `: ${describeIssues(details.issues)}`
  return {
    hint: hintOf(kind, outcome, operation) + (isFromFront(kind, details) ? FRONT : ''),
    ...details,
    code,
    outcome,
    retryable: retry === 'later' || isRepeated(operation.kind, kind),
    operation: operation.name,
    possibleReasons: kind === 'badUserInput' ? operation.possibleReasons : undefined,
    message: `${operation.name}: ${what}${facts && ` (${facts})`}${brokenRules}.`,
  }
}

/* Refused credentials without any error of GraphQL. */
function isFromFront(kind: FailureKind, { apiMessages }: Pick<Failure, 'apiMessages'>): boolean {
  return apiMessages?.length === 0 && (kind === 'unauthenticated' || kind === 'forbidden')
}

const FRONT = ' Or a firewall or a gateway in front of the service responded.'

function hintOf(kind: FailureKind, outcome: Outcome, { scope, possibleReasons }: OperationFacts): string {
  if (kind === 'forbidden' && scope !== undefined) return `The credentials need the scope ${scope}.`
  if (kind === 'badUserInput' && possibleReasons !== undefined) {
    return `Check which of the documented reasons applies: ${possibleReasons.join('; ')}. It may also be an unknown id.`
  }
  const rule: FailureRule = FAILURES[kind]
  return (outcome === rule.outcome ? rule.hint : undefined) ?? HINTS[outcome]
}

/** Whether a failed request had a response of the service: a GraphQL result, or a refusal of the credentials. */
export function isServiceResponse({ code }: { readonly code: CertifyErrorCode }): boolean {
  return RESPONSES.has(code)
}

const RESPONSES: ReadonlySet<CertifyErrorCode> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'BAD_USER_INPUT',
  'API_ERROR',
  'RESPONSE_UNEXPECTED',
])
