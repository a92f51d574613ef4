import { type AbortSignalLike, backOffMs, createBounds, pause, type Runtime, type ServiceClock } from '../clock.ts'
import { CertifyError } from '../errors.ts'
import {
  AttemptFailed,
  describeFailure,
  type Failure,
  type FailureKind,
  type HeaderReader,
  isRepeated,
  type OperationKind,
} from './failures.ts'
import { type Connection, type GraphQLRequest, sendOnce } from './graphql.ts'
import type { Provider } from './headers.ts'
import { type Attempted, type Hooks, observed, type SpanContext } from './observe.ts'

/** How many attempts a call may make: 1 to 10; `false` means one. */
export type RetryOption = Pick<ClientLimits, 'maxAttempts'> | false

/** The options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignalLike | undefined
  /** The limit for one attempt, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number | undefined
  /** The limit for this call including all its attempts and waits, in milliseconds. Default: the client's. */
  readonly deadlineMs?: number | undefined
  /** How many attempts this call may make. Default: the client's. */
  readonly retry?: RetryOption | undefined
  /**
   * Your own identifier for this call instead of a new UUID: 1 to 120 letters, digits and `_.=-`. Sent as
   * `x-client-reference`. With a ledger it is the idempotency key of a create: see `CreateOptions`. Set to `undefined` it
   * is INPUT_INVALID, because the key would be missing unnoticed.
   */
  readonly reference?: string
  /**
   * Called with the headers of each complete response. They come from the service and may contain anything. Like
   * `hooks`, it cannot change or delay the call.
   */
  readonly onResponse?: ((header: (name: string) => string | null) => void) | undefined
}

/** The options of one send. Not public. */
export interface SendOptions extends Omit<CallOptions, 'reference'> {
  readonly reference?: string | undefined
  /**
   * Wall-clock deadline in Unix milliseconds: no request is sent that might still be running then. Leases need it
   * because timers stand still while the machine sleeps or the process is stopped. Default: no limit.
   */
  readonly mustEndBy?: number | undefined
  /** When the call began, by the monotonic clock: its deadline counts from then. Default: now. */
  readonly startedAt?: number | undefined
  /** The span of the create that it belongs to. */
  readonly span?: SpanContext | undefined
}

/** The limits of a client's calls, with defaults. */
export interface ClientLimits {
  /** For one attempt, in milliseconds. */
  readonly timeoutMs: number
  /** For a call including all its attempts and waits, in milliseconds. */
  readonly deadlineMs: number
  /** How many attempts a call may make. */
  readonly maxAttempts: number
}

/** How a client makes its calls. */
export interface CallSettings extends Connection {
  readonly limits: ClientLimits
  readonly hooks: Hooks
}

/** Who makes a call. */
export interface Caller {
  readonly settings: CallSettings
  readonly runtime: Runtime
  /** Learns the service's time from each response. */
  readonly service: ServiceClock
}

/**
 * One call: attempts until one has a result, a failure cannot be retried, or the time is up. All attempts have the same
 * reference.
 *
 * @throws CertifyError
 */
export async function call<Result>(
  operation: GraphQLRequest<Result>,
  variables: object | Provider<object>,
  { signal, retry, onResponse, span, ...own }: SendOptions,
  { settings, runtime, service }: Caller,
): Promise<Result> {
  const { hooks, limits } = settings
  const { timeoutMs = limits.timeoutMs, deadlineMs = limits.deadlineMs } = own
  const { reference = crypto.randomUUID(), mustEndBy, startedAt = runtime.elapsed() } = own
  const { maxAttempts } = retry === false ? { maxAttempts: 1 } : (retry ?? limits)
  const elapsedMs = () => Math.round(runtime.elapsed() - startedAt)
  const observers = observed(operation.name, reference, elapsedMs, { hooks, onResponse, span })

  for (let attempt = 1; ; attempt += 1) {
    const attemptTimeoutMs = Math.max(0, Math.min(timeoutMs, deadlineMs - elapsedMs()))
    const bounds = createBounds(runtime, { timeoutMs: attemptTimeoutMs, mustEndBy }, signal)
    const request = { operation: operation.name, reference, attempt }
    const failed = (failure: Failure) => {
      const { header } = failure
      const error = new CertifyError({
        ...describeFailure(operation, failure),
        reference,
        requestId: requestIdOf(header),
        attempts: attempt,
        durationMs: elapsedMs(),
        retryAfterMs: readRetryAfter(header?.('retry-after'), runtime.now()),
      })
      return { kind: failure.kind, error, header, status: error.status, requestId: error.requestId }
    }
    const send = async (): Promise<Ended<Result>> => {
      try {
        const { result, status, header } = await sendOnce(operation, variables, request, settings, bounds)
        return { result, header, status, requestId: requestIdOf(header) }
      } catch (error) {
        if (error instanceof AttemptFailed) return failed(error.failure)
        throw error
      } finally {
        bounds.dispose()
      }
    }
    const { ended, event } = await observers.attempt(attempt, send)
    if (ended.header !== undefined) service.saw(ended.header('date'))
    if (ended.error === undefined) {
      observers.settled(ended, attempt)
      return ended.result
    }
    const { error, kind } = ended
    const waitMs = waitBeforeRetry({
      kind: operation.kind,
      failure: kind,
      attempt,
      maxAttempts,
      retryAfterMs: error.retryAfterMs,
      remainingMs: deadlineMs - elapsedMs(),
      random: runtime.random(),
    })
    if (waitMs === undefined) {
      observers.settled(ended, attempt)
      throw error
    }
    observers.retrying(event, waitMs)
    if (!(await pause(runtime, waitMs, signal))) {
      /* Nothing was being sent, and the earlier attempts were not executed: the abort is harmless. */
      const aborted = failed({ kind: 'abortedBeforeSending', phase: 'not-sent', cause: signal?.reason })
      observers.settled(aborted, attempt)
      throw aborted.error
    }
  }
}

type Ended<Result> = Attempted &
  (
    | { readonly result: Result; readonly error?: undefined }
    | { readonly kind: FailureKind; readonly error: CertifyError }
  )

/* The name of the header is a guess. Its value is logged, so it must look like an identifier. */
function requestIdOf(header: HeaderReader | undefined): string | undefined {
  const id = header?.('x-request-id') ?? ''
  return /^[\w.+=-]{1,128}$/.test(id) ? id : undefined
}

/** Everything that decides whether a failed attempt is retried. */
export interface FailedAttempt {
  readonly kind: OperationKind
  readonly failure: FailureKind
  /** Which attempt failed, from 1. */
  readonly attempt: number
  readonly maxAttempts: number
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined
  /** What is left of the time for the whole call. */
  readonly remainingMs: number
  /** From 0 to less than 1. */
  readonly random: number
}

/**
 * How long to wait before the next attempt, in milliseconds; `undefined` for no further attempt.
 *
 * A create is retried only with proof that it was not executed. The call waits as long as the service asks, or ends at
 * once if its time is too short. Otherwise it backs off exponentially, with full jitter.
 */
export function waitBeforeRetry(failed: FailedAttempt): number | undefined {
  if (!isRepeated(failed.kind, failed.failure)) return undefined
  if (failed.attempt >= failed.maxAttempts) return undefined
  const { attempt, random } = failed
  const waitMs = failed.retryAfterMs ?? backOffMs(attempt, INITIAL_BACKOFF_MS, MAX_BACKOFF_MS, random)
  return waitMs < failed.remainingMs ? waitMs : undefined
}

const INITIAL_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 8000

/**
 * Reads a Retry-After: a number of seconds or an HTTP date. Anything else is ignored. More than an hour counts as an hour.
 *
 * @param now the time of day in milliseconds, to compare a date with
 */
export function readRetryAfter(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS)
  if (!HTTP_DATE.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), MAX_RETRY_AFTER_MS)
}

/* The only form that HTTP still allows in new headers, as in Sun, 06 Nov 1994 08:49:37 GMT. */
const HTTP_DATE = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/

/* Quotas are often hourly. Whatever asks for more may be mistaken, and to ignore it would mean to retry sooner. */
const MAX_RETRY_AFTER_MS = 3_600_000
