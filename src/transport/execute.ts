import { type CallOptions, readCallOptions, type Settings } from '../options.ts'
import type { Operation } from './attempt.ts'
import { Call } from './call.ts'
import type { Runtime } from './runtime.ts'
import { userAgent } from './user-agent.ts'

/** Runs one operation. */
export type Execute = <Data, Variables extends object>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  options?: CallOptions,
) => Promise<Data>

/** Binds the one way that every request takes to the settings of a client. */
export function createExecute(settings: Settings, runtime: Runtime): Execute {
  const headers = {
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
    'user-agent': userAgent(settings.appInfo),
  }
  return async (operation, variables, options) => {
    const { signal, timeoutMs, deadlineMs } = readCallOptions(operation.name, options)
    const limits = {
      signal,
      timeoutMs: timeoutMs ?? settings.timeoutMs,
      deadlineMs: deadlineMs ?? settings.deadlineMs,
    }
    return new Call(settings, runtime, operation, limits).run(variables, headers)
  }
}
