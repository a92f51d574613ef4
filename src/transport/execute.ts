import type * as z from 'zod/mini'
import { CertifyError, type CertifyErrorDetails } from '../errors.ts'
import { describeIssues, issuesOf } from '../issues.ts'
import { type CallOptions, readCallOptions, type Settings } from '../options.ts'
import { version } from '../version.ts'
import { FAILURES, type FailureKind, type FailureRule, HINTS, type OperationKind, outcomeOf } from './failures.ts'
import type { Fetch } from './fetch.ts'
import { type GraphQLAnswer, runGraphQL } from './graphql.ts'
import { guardedFetch, Interruption } from './guarded-fetch.ts'
import { judge } from './verdict.ts'

/** One operation of the API: what is sent, and how its answer is checked. */
export interface Operation<Data, Variables> {
  /** As the caller knows it, as in `invites.create`. */
  readonly name: string
  readonly kind: OperationKind
  /** The document, with the types that belong to it. */
  readonly document: { toString(): string; readonly __apiType?: ((variables: Variables) => unknown) | undefined }
  /** Checks `data`; absent for documents of the caller's own, whose `data` is handed over as it came. */
  readonly data?: z.ZodMiniType<Data>
  /** The causes that the specification documents for BAD_USER_INPUT. */
  readonly possibleReasons?: readonly string[]
}

/** Runs one operation, once. */
export type Execute = <Data, Variables extends object>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  options?: CallOptions,
) => Promise<Data>

/** The way every request takes: credentials, one guarded attempt, a verdict, a checked result or a CertifyError. */
export function createExecute(settings: Settings): Execute {
  return async (operation, variables, options) => {
    const { signal, timeoutMs = settings.timeoutMs } = readCallOptions(operation.name, options)
    const reference = crypto.randomUUID()
    const headers = {
      ...(await settings.credentials()),
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
      'user-agent': `certify-sdk/${version}`,
      'x-client-reference': reference,
    }
    const request = { endpoint: settings.endpoint, document: operation.document.toString(), variables, headers }
    const fail: Fail = (kind, details) => failure(kind, operation, { reference, ...details })
    let answer: GraphQLAnswer
    try {
      answer = await runGraphQL(request, (body, sent) =>
        guardedFetch(settings.fetch ?? globalFetch, settings.endpoint, { body, headers: sent }, { timeoutMs, signal }),
      )
    } catch (error) {
      if (!(error instanceof Interruption)) throw error
      const { kind, phase, status, reason, cause } = error
      throw fail(kind, { phase, status, reason, cause })
    }
    return readAnswer(operation, answer, fail)
  }
}

function readAnswer<Data>(operation: Operation<Data, never>, answer: GraphQLAnswer, fail: Fail): Data {
  const { status, data } = answer
  const verdict = judge(answer)
  if (verdict.failure !== undefined) {
    throw fail(verdict.failure, {
      status,
      apiCode: verdict.apiCode,
      apiMessages: answer.faults.map(({ message }) => message),
      possibleReasons: verdict.failure === 'badUserInput' ? operation.possibleReasons : undefined,
      partial: verdict.failure === 'unexpected' ? data : undefined,
    })
  }
  if (operation.data === undefined) return verdict.data as Data
  const result = operation.data.safeParse(verdict.data)
  if (result.success) return result.data
  const issues = issuesOf(result.error, verdict.data)
  throw fail('unexpected', { status, issues, partial: verdict.data })
}

/** Makes the error of one call. */
type Fail = (kind: FailureKind, details: FailureDetails) => CertifyError
type FailureDetails = Partial<CertifyErrorDetails> & { readonly reason?: string | undefined }

function failure(
  kind: FailureKind,
  operation: Pick<Operation<unknown, never>, 'name' | 'kind'>,
  details: FailureDetails,
) {
  const rule: FailureRule = FAILURES[kind]
  const { reason, ...fields } = details
  const outcome = outcomeOf(operation.kind, kind)
  const facts = [reason, details.status === undefined ? undefined : `HTTP ${details.status}`, details.apiCode]
  const brackets = facts.filter((fact) => fact !== undefined).join(', ')
  const faults = details.issues === undefined ? '' : `: ${describeIssues(details.issues)}`
  return new CertifyError({
    ...fields,
    code: rule.code,
    outcome,
    operation: operation.name,
    message: `${operation.name}: ${rule.what}${brackets === '' ? '' : ` (${brackets})`}${faults}.`,
    hint: (outcome === rule.outcome ? rule.hint : undefined) ?? HINTS[operation.kind][outcome],
  })
}

/* Looked up at each call, so that whoever replaces the global fetch later (a test, a proxy agent) is heard. */
const globalFetch: Fetch = (url, init) => fetch(url, init)
