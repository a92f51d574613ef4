import { attemptsOf, type CallOptions, readCallOptions, type Settings } from '../options.ts'
import type { GraphQLRequest } from './attempt.ts'
import { call } from './call.ts'
import type { Runtime } from './runtime.ts'

/** Runs one operation. */
export type Execute = <Data, Variables extends object>(
  operation: GraphQLRequest<Data, Variables>,
  variables: Variables,
  options?: CallOptions,
) => Promise<Data>

/** Binds the one way that every request takes to the settings of a client. */
export function createExecute(settings: Settings, runtime: Runtime): Execute {
  return (operation, variables, options) => {
    const { signal, timeoutMs, deadlineMs, retry, reference } = readCallOptions(operation.name, options)
    return call(
      operation,
      variables,
      {
        signal,
        timeoutMs: timeoutMs ?? settings.timeoutMs,
        deadlineMs: deadlineMs ?? settings.deadlineMs,
        maxAttempts: attemptsOf(retry) ?? settings.maxAttempts,
        reference: reference ?? crypto.randomUUID(),
      },
      settings,
      runtime,
    )
  }
}
