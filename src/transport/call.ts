import { CertifyError, type Outcome } from '../errors.ts'
import { isIdentifier } from '../option-rules.ts'
import type { SendOptions } from '../call-options.ts'
import { attemptsOf, type Settings } from '../options.ts'
import { type Runtime, pause } from '../clock.ts'
import { describeIssues } from '../refusals.ts'
import { attemptOnce, type GraphQLRequest } from './attempt.ts'
import { createBounds } from './attempt-limits.ts'
import { FAILURES, type Failed, type FailureKind, type FailureRule, HINTS, outcomeOf } from './failures.ts'
import type { HttpResponse } from './guarded-fetch.ts'
import { notify } from './hooks.ts'
import { isRetryable, readRetryAfter, waitBeforeRetry } from './retry.ts'

/**
 * One call: attempts until one has a result, a failure cannot be retried, or the time is up. All attempts have the same
 * reference.
 *
 * @throws CertifyError
 */
export async function call<Data, Variables extends object>(
  operation: GraphQLRequest<Data, Variables>,
  variables: Variables,
  { signal, retry, onResponse, ...own }: SendOptions,
  settings: Settings,
  runtime: Runtime,
): Promise<Data> {
  const { hooks, limits } = settings
  const {
    timeoutMs = limits.timeoutMs,
    deadlineMs = limits.deadlineMs,
    reference = crypto.randomUUID(),
    mustEndBy,
    startedAt = runtime.elapsed(),
  } = own
  const maxAttempts = attemptsOf(retry) ?? limits.maxAttempts
  const elapsedMs = () => Math.round(runtime.elapsed() - startedAt)

  for (let attempts = 1; ; attempts += 1) {
    const since = elapsedMs()
    const attemptTimeoutMs = Math.max(0, Math.min(timeoutMs, deadlineMs - since))
    const bounds = createBounds(runtime, { timeoutMs: attemptTimeoutMs, mustEndBy }, signal)
    const request = { operation: operation.name, reference, attempt: attempts }
    const ended = await attemptOnce(operation, variables, request, settings, bounds)
    const { response, failed } = ended
    if (response !== undefined) notify(onResponse, () => response.header)

    const errorOf = (how: Failed, received?: HttpResponse) =>
      new CertifyError({
        ...detailsOf(operation, how),
        reference,
        requestId: requestIdOf(received),
        attempts,
        durationMs: elapsedMs(),
        retryAfterMs: readRetryAfter(received?.header('retry-after'), runtime.now()),
      })
    const eventOf = (error: CertifyError | undefined) => ({
      operation: operation.name,
      reference,
      durationMs: elapsedMs() - since,
      status: error === undefined ? response?.status : error.status,
      requestId: error === undefined ? requestIdOf(response) : error.requestId,
      code: error?.code,
      outcome: error?.outcome,
    })
    const attempted = (error: CertifyError | undefined) => ({ ...eventOf(error), attempt: attempts })
    const reportEnd = (error: CertifyError | undefined) =>
      notify(hooks.onSettled, () => ({ ...eventOf(error), attempts, durationMs: elapsedMs() }))

    const error = ended.refused ?? (failed && errorOf(failed, response))
    notify(hooks.onAttempt, () => attempted(error))
    if (error === undefined) {
      reportEnd(error)
      return ended.data as Data
    }
    const waitMs =
      failed &&
      waitBeforeRetry({
        kind: operation.kind,
        failure: failed.kind,
        attempt: attempts,
        maxAttempts,
        retryAfterMs: error.retryAfterMs,
        remainingMs: deadlineMs - elapsedMs(),
        random: runtime.random(),
      })
    if (waitMs === undefined) {
      reportEnd(error)
      throw error
    }
    notify(hooks.onRetry, () => ({ ...attempted(error), waitMs }))
    if (!(await pause(runtime, waitMs, signal))) {
      /* Nothing was being sent, and the earlier attempts were not executed: the abort is harmless. */
      const aborted = errorOf({ kind: 'abortedBeforeSending', phase: 'not-sent', cause: signal?.reason })
      reportEnd(aborted)
      throw aborted
    }
  }
}

/* The facts and sentences of a failure, apart from its attempt. */
function detailsOf(operation: OperationFacts, failed: Failed) {
  const { name, kind: operationKind, possibleReasons } = operation
  const { kind, reason, ...details } = failed
  const rule: FailureRule = FAILURES[kind]
  const outcome = outcomeOf(operationKind, kind)
  const facts = [reason, details.status && `HTTP ${details.status}`, details.apiCode].filter(Boolean).join(', ')
  const brackets = facts && ` (${facts})`
  const brokenRules = details.issues === undefined ? '' : `: ${describeIssues(details.issues)}`
  return {
    ...details,
    code: rule.code,
    outcome,
    retryable: isRetryable(operationKind, kind),
    operation: name,
    possibleReasons: kind === 'badUserInput' ? possibleReasons : undefined,
    message: `${name}: ${rule.what}${brackets}${brokenRules}.`,
    hint: hintOf(kind, outcome, operation),
  }
}

function hintOf(kind: FailureKind, outcome: Outcome, { scope, possibleReasons }: OperationFacts): string {
  if (kind === 'forbidden' && scope !== undefined) return `The credentials need the scope ${scope}.`
  if (kind === 'badUserInput' && possibleReasons !== undefined) {
    return `Check which of the documented reasons applies: ${possibleReasons.join('; ')}. It may also be an unknown id.`
  }
  const rule: FailureRule = FAILURES[kind]
  return (outcome === rule.outcome ? rule.hint : undefined) ?? HINTS[outcome]
}

type OperationFacts = Pick<GraphQLRequest<never, never>, 'name' | 'kind' | 'possibleReasons' | 'scope'>

/* The name of the header is a guess. Its value is logged, so it must look like an identifier. */
function requestIdOf(response: HttpResponse | undefined): string | undefined {
  const id = response?.header('x-request-id')
  return isIdentifier(id) ? id : undefined
}
