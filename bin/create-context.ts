import type { RetryEvent } from '../src/index.ts'
import { CliError } from './cli-error.ts'
import { type Connection, readConnection } from './config/connection.ts'
import { type Preferences, readPreferences, usableVariables } from './config/settings.ts'
import type { Context, Program } from './context.ts'
import { manualOf } from './help/manual.ts'
import type { Io } from './io.ts'
import { DryRun } from './network/dry-run.ts'
import { createOutput, type Output, say } from './terminal/output.ts'
import { createPrompts, type Prompts } from './terminal/prompts.ts'

/** What commands work with. Nothing is read before it is asked for, and everything once. */
export function createContext(io: Io, program: Program, dryRun: DryRun): Context {
  const flags = () => program.root.opts()
  const preferences = lazy((): Preferences => {
    return readPreferences(flags(), usableVariables(io.env, manualOf(program.found) ?? {}))
  })
  const output = lazy((): Output => createOutput(io, styleOf(preferences())))
  const prompts = lazy((): Prompts => createPrompts(io, preferences()))
  const connection = lazy((): Connection => readConnection(io, flags()))
  const warnOfExposure = lazy(() => output().warn('the file of the keys can be read by others; run chmod 600 on it.'))
  return {
    io,
    program,
    get preferences() {
      return preferences()
    },
    get output() {
      return output()
    },
    get prompts() {
      return prompts()
    },
    connection,
    async client(purpose, more = {}) {
      const used = more.connection ?? connection()
      const { baseUrl, apiKey, timeoutMs, deadlineMs } = complete(used)
      if (used.apiKey.isExposed === true) await warnOfExposure()
      const sends = purpose === 'read' || (purpose === 'write' && !preferences().dryRun.value)
      const unsent = purpose === 'write' ? dryRun : new DryRun()
      const fetch = sends ? await tracedIfAsked(io, preferences()) : unsent.fetch
      const { CertifyClient } = await import('../src/index.ts')
      return new CertifyClient({
        baseUrl,
        apiKey,
        timeoutMs,
        deadlineMs,
        fetch: more.around?.(fetch) ?? fetch,
        hooks: { onRetry: (event) => remarkRetry(output(), event), ...more.hooks },
        ...(!sends && { retry: false }),
      })
    },
  }
}

function remarkRetry(output: Output, { code, waitMs }: RetryEvent): void {
  void output.remark(`${code}: nothing was changed; trying again in ${Math.ceil(waitMs / 1000)} s.`)
}

/* What a client cannot be made without. */
function complete({ baseUrl, apiKey, timeoutMs, deadlineMs }: Connection) {
  if (baseUrl.value === undefined) {
    throw new CliError(
      'no base URL: the service to talk to is not known.',
      'Run `certify auth login`, set CERTIFY_BASE_URL or give --base-url. To try things out, start `certify mock` and ' +
        'give --profile sandbox.',
      { code: 'CONFIG_INVALID' },
    )
  }
  if (apiKey.value === undefined) {
    throw new CliError(
      'no API key.',
      'Run `certify auth login`, set CERTIFY_API_KEY, or set CERTIFY_API_KEY_FILE to the path of a file that holds it.',
      { code: 'CONFIG_INVALID', exitCode: 4 },
    )
  }
  return {
    baseUrl: baseUrl.value,
    apiKey: apiKey.value,
    timeoutMs: timeoutMs.value,
    deadlineMs: deadlineMs.value,
  }
}

async function tracedIfAsked(io: Io, { debug, json }: Preferences): Promise<Io['fetch']> {
  if (!debug.value) return io.fetch
  const { traced, traceLine } = await import('./network/trace.ts')
  return traced(io.fetch, io.now, (event) => {
    void say(io.stderr, `${json.value ? JSON.stringify({ trace: event }) : traceLine(event)}\n`)
  })
}

function styleOf({ json, fields, quiet, color }: Preferences) {
  return { json: json.value, fields: fields.value, quiet: quiet.value, color: color.value }
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
