import type { CertifyErrorCode, CertifyErrorDetails, Outcome } from '../errors.ts'

/** Whether a request reads or creates. Anything that is not provably a read counts as a create. */
export type OperationKind = 'query' | 'mutation'

/** Everything that can go wrong once a request is on its way, told apart by what it means for the request. */
export type FailureKind = keyof typeof FAILURES

/** What is known of a failed attempt. */
export interface Failed
  extends Pick<CertifyErrorDetails, 'phase' | 'status' | 'apiCode' | 'apiMessages' | 'issues' | 'partial' | 'cause'> {
  readonly kind: FailureKind
  /** The runtime's word for it, as in `ECONNREFUSED`. */
  readonly reason?: string | undefined
}

/** What is said about one way to fail. */
export interface FailureRule {
  readonly code: CertifyErrorCode
  /** What became of a mutation. A query changes nothing: its outcome is always `not-executed`. */
  readonly outcome: Outcome
  /** When the request may be sent again by itself: only what is proven not to have happened, for a create. Absent: never. */
  readonly retry?: 'always' | 'queries'
  /** What happened, as a sentence without its subject; `status` and `apiCode` follow in brackets. */
  readonly what: string
  /** What to do where the outcome alone does not say it. */
  readonly hint?: string
}

/** The one table from what happened to what is said about it. */
export const FAILURES = {
  unreachable: {
    code: 'UNREACHABLE',
    outcome: 'not-executed',
    retry: 'always',
    what: 'the service could not be reached',
    hint: 'Check baseUrl, the network and any proxy.',
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
    what: 'the time was up before the request was sent',
    hint: 'Call again, or raise timeoutMs.',
  },
  timedOut: { code: 'TIMED_OUT', outcome: 'unknown', retry: 'queries', what: 'no complete answer came in time' },
  connectionLost: {
    code: 'CONNECTION_LOST',
    outcome: 'unknown',
    retry: 'queries',
    what: 'the connection ended after the request had been sent',
  },
  redirected: {
    code: 'REDIRECT_REFUSED',
    outcome: 'not-executed',
    what: 'the service answered with a redirect, which is never followed',
    hint: 'Set baseUrl to the service’s real address.',
  },
  redirectedAfterPost: {
    code: 'REDIRECT_REFUSED',
    outcome: 'unknown',
    what: 'the service answered with a redirect, which is never followed',
  },
  unauthenticated: {
    code: 'UNAUTHENTICATED',
    outcome: 'not-executed',
    what: 'the service did not accept the credentials',
    hint: 'Check the API key and baseUrl.',
  },
  forbidden: {
    code: 'FORBIDDEN',
    outcome: 'not-executed',
    what: 'the credentials lack the scope for this operation',
  },
  notFound: {
    code: 'NOT_FOUND',
    outcome: 'not-executed',
    what: 'the service did not find what was asked for',
    hint: 'Check baseUrl and the identifiers.',
  },
  badUserInput: {
    code: 'BAD_USER_INPUT',
    outcome: 'not-executed',
    what: 'the service refused the input',
    hint: 'Correct the input. possibleReasons has the documented causes, apiMessages the service’s own words.',
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
    what: 'the answer could not be read',
  },
  unexpected: {
    code: 'RESPONSE_UNEXPECTED',
    outcome: 'executed',
    what: 'the answer is not what was asked for',
    hint: 'It was created: do not call again. What came is in `partial`; save it.',
  },
  failedBelow: {
    code: 'RESPONSE_UNEXPECTED',
    outcome: 'unknown',
    what: 'the service failed after it had carried out the request',
  },
  mismatched: {
    code: 'RESPONSE_MISMATCHED',
    outcome: 'unknown',
    what: 'the answer belongs to another request',
  },
  unexpectedEmpty: { code: 'RESPONSE_UNEXPECTED', outcome: 'unknown', what: 'the answer is empty' },
  refused: {
    code: 'API_ERROR',
    outcome: 'not-executed',
    what: 'the service refused the request',
    hint: 'Do not repeat it as it is. apiMessages has the service’s own words.',
  },
  unexplained: {
    code: 'API_ERROR',
    outcome: 'unknown',
    what: 'the service answered with an unknown error',
  },
} as const satisfies Record<string, FailureRule>

/** What to do, by outcome, where the rule itself does not say. */
export const HINTS: Readonly<Record<Outcome, string>> = {
  'not-executed': 'Nothing was created or changed; the call may be made again.',
  unknown: 'It may have been created: do not call again before somebody has checked with the service.',
  executed: 'It was created: do not call again.',
}

/** What became of a request of this kind that failed in this way. */
export function outcomeOf(kind: OperationKind, failure: FailureKind): Outcome {
  return kind === 'query' ? 'not-executed' : FAILURES[failure].outcome
}
