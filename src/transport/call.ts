import { CertifyError } from '../errors.ts'
import { describeIssues } from '../issues.ts'
import type { Settings } from '../options.ts'
import { type Attempted, attemptOnce, type Failed, type Operation } from './attempt.ts'
import { bind } from './bounds.ts'
import { FAILURES, type FailureRule, HINTS, outcomeOf } from './failures.ts'
import type { AbortSignalLike } from './fetch.ts'
import type { Answer } from './guarded-fetch.ts'
import { type AttemptEvent, type SettledEvent, tell } from './hooks.ts'
import { readRetryAfter, waitBeforeRetry } from './retry.ts'
import type { Runtime } from './runtime.ts'

/** What one call is bound by. */
export interface Limits {
  readonly signal: AbortSignalLike | undefined
  /** For each attempt. */
  readonly timeoutMs: number
  /** For all attempts and the waits between them. */
  readonly deadlineMs: number
}

/**
 * One call: an attempt after another, until one has an answer, a failure may not be repeated, or the time is up. All
 * of its attempts carry the same reference.
 */
export class Call<Data, Variables extends object> {
  readonly #settings: Settings
  readonly #runtime: Runtime
  readonly #operation: Operation<Data, Variables>
  readonly #limits: Limits
  readonly #reference: string = crypto.randomUUID()
  readonly #started: number
  #attempts = 0

  constructor(settings: Settings, runtime: Runtime, operation: Operation<Data, Variables>, limits: Limits) {
    this.#settings = settings
    this.#runtime = runtime
    this.#operation = operation
    this.#limits = limits
    this.#started = runtime.elapsed()
  }

  /** @throws CertifyError */
  async run(variables: Variables, headers: Readonly<Record<string, string>>): Promise<Data> {
    const { hooks } = this.#settings
    for (;;) {
      const since = this.#durationMs()
      const ended = await this.#attempt(variables, headers)
      const error = ended.failed === undefined ? undefined : this.#errorOf(ended.failed, ended.answer)
      const event = this.#eventOf(since, ended.answer, error)
      tell(hooks.onAttempt, { ...event })
      const waitMs = error && ended.failed && this.#waitAfter(ended.failed, error)
      if (waitMs !== undefined) {
        tell(hooks.onRetry, { ...event, waitMs })
        const aborted = await this.#pause(waitMs)
        if (aborted === undefined) continue
        tell(hooks.onSettled, this.#endOf(this.#eventOf(since, undefined, aborted)))
        throw aborted
      }
      tell(hooks.onSettled, this.#endOf(event))
      if (error !== undefined) throw error
      if (ended.failed === undefined) return ended.data
    }
  }

  async #attempt(variables: Variables, headers: Readonly<Record<string, string>>): Promise<Attempted<Data>> {
    this.#attempts += 1
    const { timeoutMs, deadlineMs, signal } = this.#limits
    const bounds = bind(this.#runtime, Math.max(1, Math.min(timeoutMs, deadlineMs - this.#durationMs())), signal)
    const sent = { ...headers, 'x-client-reference': this.#reference }
    try {
      return await attemptOnce(this.#operation, variables, sent, this.#settings, bounds)
    } finally {
      bounds.dispose()
    }
  }

  #errorOf({ kind, reason, ...details }: Failed, answer?: Answer): CertifyError {
    const rule: FailureRule = FAILURES[kind]
    const { name, kind: operationKind } = this.#operation
    const outcome = outcomeOf(operationKind, kind)
    const facts = [reason, details.status === undefined ? undefined : `HTTP ${details.status}`, details.apiCode]
    const brackets = facts.filter((fact) => fact !== undefined).join(', ')
    const faults = details.issues === undefined ? '' : `: ${describeIssues(details.issues)}`
    return new CertifyError({
      ...details,
      code: rule.code,
      outcome,
      operation: name,
      reference: this.#reference,
      requestId: requestIdOf(answer),
      attempts: this.#attempts,
      durationMs: this.#durationMs(),
      retryAfterMs: readRetryAfter(answer?.header('retry-after') ?? null, this.#runtime.now()),
      possibleReasons: kind === 'badUserInput' ? this.#operation.possibleReasons : undefined,
      message: `${name}: ${rule.what}${brackets === '' ? '' : ` (${brackets})`}${faults}.`,
      hint: (outcome === rule.outcome ? rule.hint : undefined) ?? HINTS[operationKind][outcome],
    })
  }

  #eventOf(since: number, answer: Answer | undefined, error: CertifyError | undefined): AttemptEvent {
    return {
      operation: this.#operation.name,
      reference: this.#reference,
      attempt: this.#attempts,
      durationMs: this.#durationMs() - since,
      status: answer?.status ?? error?.status,
      requestId: requestIdOf(answer),
      code: error?.code,
      outcome: error?.outcome,
    }
  }

  #endOf({ attempt: attempts, ...event }: AttemptEvent): SettledEvent {
    return { ...event, attempts, durationMs: this.#durationMs() }
  }

  #waitAfter({ kind }: Failed, { retryAfterMs }: CertifyError): number | undefined {
    return waitBeforeRetry({
      kind: this.#operation.kind,
      failure: kind,
      attempt: this.#attempts,
      maxAttempts: this.#settings.maxAttempts,
      retryAfterMs,
      remainingMs: this.#limits.deadlineMs - this.#durationMs(),
      random: this.#runtime.random(),
    })
  }

  /* Nothing is on its way during a wait, and whatever came before it did not happen: an abort here is a harmless one. */
  #pause(waitMs: number): Promise<CertifyError | undefined> {
    const { signal } = this.#limits
    return new Promise((resolve) => {
      const stop = this.#runtime.startTimer(waitMs, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve(undefined)
      })
      const onAbort = () => {
        stop()
        signal?.removeEventListener('abort', onAbort)
        resolve(this.#errorOf({ kind: 'abortedBeforeSending', phase: 'not-sent', cause: signal?.reason }))
      }
      signal?.addEventListener('abort', onAbort)
      if (signal?.aborted === true) onAbort()
    })
  }

  #durationMs(): number {
    return Math.round(this.#runtime.elapsed() - this.#started)
  }
}

/* The name of the header is our guess; what it holds reaches logs, so it has to look like an identifier. */
function requestIdOf(answer: Answer | undefined): string | undefined {
  const id = answer?.header('x-request-id')
  return typeof id === 'string' && /^[\w.+=-]{1,128}$/.test(id) ? id : undefined
}
