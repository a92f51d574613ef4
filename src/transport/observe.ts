import { type CertifyError, type CertifyErrorCode, isCertifyError, type Outcome } from '../errors.ts'
import type { HeaderReader } from './failures.ts'

/**
 * Observers of a client. They cannot change or delay anything: the client does not await what they return, and ignores
 * what they throw. Events may be logged: they contain no key, candidate, link or text of the service.
 */
export interface Hooks {
  /** An attempt ended, with or without success. */
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined
  /** An attempt failed. Another one follows after a wait. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /** The call ended, with or without success. */
  readonly onSettled?: ((event: SettledEvent) => void) | undefined
  /**
   * With a ledger: another call is inviting the candidate, and this create waits for it, until its deadline. Called once for a
   * create, with what the create throws if it waits in vain: IN_PROGRESS.
   */
  readonly onInProgress?: ((error: CertifyError) => void) | undefined
  /**
   * With a ledger: an invite could not be recorded by the deadline of its create, or the end of any create by the end of its
   * lease. The caller still gets the result. The ledger goes on trying until the lease ends; if that fails, it reports the
   * create as unknown. Called once for a create. Default: a process warning.
   */
  readonly onUnrecorded?: ((error: CertifyError) => void) | undefined
  /**
   * With a ledger: the create of this reference was recorded after its lease had ended. Until then others may have seen it
   * as unknown, and resolved it or sent it again. Default: a process warning.
   */
  readonly onRecordedLate?: ((reference: string) => void) | undefined
  /**
   * The circuit breaker opened: too many creates had no clear response. Until it closes, creates fail with SERVICE_UNAVAILABLE.
   * Clients with the same ledger, endpoint and account share it; the client whose create opened it calls this.
   */
  readonly onBreakerOpened?: ((event: BreakerEvent) => void) | undefined
  /** The circuit breaker closed: a create had a clear response. The client of that create calls this. */
  readonly onBreakerClosed?: ((event: BreakerEvent) => void) | undefined
}

/** An outage of the service, as the circuit breaker sees it. */
export interface BreakerEvent extends Pick<CertifyError, 'code' | 'status'> {
  /** When the first create had no clear response: ISO 8601 in UTC. */
  readonly since: string
  /** How many creates have become `unknown` since then. */
  readonly unknown: number
}

/** An attempt that is about to be sent. */
export interface RequestEvent {
  /** The method, as in `invites.create`. */
  readonly operation: string
  /** The reference of the call, the same for all its attempts. */
  readonly reference: string
  /** From 1. */
  readonly attempt: number
}

/** The end of one attempt. */
export interface AttemptEvent extends RequestEvent, Pick<CertifyError, 'status' | 'requestId'> {
  /** How long it took, in milliseconds. */
  readonly durationMs: number
  /** The code of the failure; `undefined` after a success. */
  readonly code: CertifyErrorCode | undefined
  /** What became of the request at the service; `undefined` after a success. */
  readonly outcome: Outcome | undefined
}

/** A failed attempt and the wait after it. */
export interface RetryEvent extends AttemptEvent {
  /** How long until the next attempt, in milliseconds. */
  readonly waitMs: number
}

/** The end of a call. */
export interface SettledEvent extends Omit<AttemptEvent, 'attempt'> {
  /** How many attempts the call made. */
  readonly attempts: number
}

/** Calls an observer, if there is one. It cannot affect the call. */
export function notify<Event>(observer: ((event: Event) => unknown) | undefined, eventOf: () => Event): void {
  try {
    const returned = observer?.(Object.freeze(eventOf()))
    if (returned instanceof Promise) returned.catch(() => {})
  } catch {
    /* The observer's own bug. */
  }
}

/** Who learns how a call goes. */
export interface Observers {
  readonly hooks: Hooks
  readonly onResponse?: ((header: HeaderReader) => void) | undefined
  /** The span of the create that the call belongs to. */
  readonly span?: SpanContext | undefined
}

/** How an attempt ended, as far as observers may know. */
export interface Attempted extends Pick<CertifyError, 'status' | 'requestId'> {
  readonly error?: CertifyError | undefined
  /** If a whole response arrived. */
  readonly header?: HeaderReader | undefined
}

/**
 * Tells the observers of one call how it goes, in the order in which it happens.
 *
 * @param elapsedMs the time since it began
 */
export function observed(
  operation: string,
  reference: string,
  elapsedMs: () => number,
  { hooks, onResponse, span }: Observers,
) {
  Object.assign(span ?? {}, { reference })
  const eventOf = ({ status, requestId, error }: Attempted, durationMs: number) => {
    const { code, outcome } = error ?? {}
    return { operation, reference, durationMs, status, requestId, code, outcome }
  }
  return {
    /** Makes an attempt, which is a span of its own. */
    async attempt<Ended extends Attempted>(attempt: number, make: () => Promise<Ended>) {
      const since = elapsedMs()
      const context: SpanContext = { operation, reference, attempt }
      const made = async () => {
        const ended = await make()
        Object.assign(context, { status: ended.status, requestId: ended.requestId })
        return ended
      }
      const ended = await traced('attempt', context, made, ({ error }) => error)
      const { header, requestId } = ended
      if (header !== undefined) {
        Object.assign(span ?? {}, { requestId })
        notify(onResponse, () => header)
      }
      const event: AttemptEvent = { ...eventOf(ended, elapsedMs() - since), attempt }
      notify(hooks.onAttempt, () => event)
      return { ended, event }
    },
    /** Another attempt follows. */
    retrying(event: AttemptEvent, waitMs: number): void {
      notify(hooks.onRetry, () => ({ ...event, waitMs }))
    },
    settled(ended: Attempted, attempts: number): void {
      notify(hooks.onSettled, () => ({ ...eventOf(ended, elapsedMs()), attempts }))
    },
  }
}

/** What subscribers see of some work: identifiers, never a candidate, a link or a key. It grows until the work ends. */
export type SpanContext = Record<string, unknown>

/**
 * Runs work as a span of the tracing channel `certify-sdk:{name}`, where the runtime has such channels. Its result stays out of
 * the events: it has the link.
 *
 * @param errorIn why work that resolves has failed
 */
export async function traced<Result>(
  name: 'create' | 'attempt',
  context: SpanContext,
  work: () => Promise<Result>,
  errorIn: (result: Result) => CertifyError | undefined = () => undefined,
): Promise<Result> {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(id: string): Channels | undefined } }
  /* Making one takes a sixth of the CPU time of a create. */
  const channel = (channels[name] ??= process
    ?.getBuiltinModule?.('node:diagnostics_channel')
    ?.tracingChannel?.(`certify-sdk:${name}`))
  if (channel === undefined || channel.hasSubscribers === false) return work()
  let ended: Promise<Result> | undefined
  const span = async () => {
    ended = work()
    const error = await ended.then(errorIn, (thrown: unknown) => thrown)
    if (error === undefined) return
    if (!isCertifyError(error)) throw new Error('unknown')
    const { code, outcome, requestId, status, reference = context['reference'] } = error
    Object.assign(context, { code, outcome, requestId, status, reference })
    throw new Error(code)
  }
  await channel.tracePromise(span, context).catch(() => {})
  return ended as unknown as Promise<Result>
}

const channels: Partial<Record<string, Channel | undefined>> = {}

interface Channels {
  readonly tracingChannel?: (name: string) => Channel
}

interface Channel {
  readonly hasSubscribers?: boolean
  readonly tracePromise: (work: () => Promise<void>, context: SpanContext) => Promise<void>
}
