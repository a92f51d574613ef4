import type { Command } from 'commander'
import type { Fetch, Hooks, RetryEvent } from '../src/index.ts'
import { configError } from './cli-error.ts'
import { type Connection, profileFlag, readConnection } from './config/connection.ts'
import { type Preferences, readPreferences, usableVariables } from './config/settings.ts'
import { manualOf } from './help/manual.ts'
import type { Io } from './io.ts'
import { DryRun } from './network/dry-run.ts'
import { createOutput, type Output, say } from './terminal/output.ts'
import { createPrompts, type Prompts } from './terminal/prompts.ts'

/** Adds the flags, the help and the action of one command. */
export type DefineCommand = (command: Command, context: Context) => void

export type Context = ReturnType<typeof createContext>

export interface Program {
  readonly root: Command
  /** The names of the visible commands, in the order of the help. */
  readonly names: readonly string[]
  /** The command that the words have led to so far. */
  readonly current: Command
  /** Loads the command or the group with this name. */
  find(words: readonly string[]): Promise<Command | undefined>
  /** Runs another command line in place of this one. */
  run(argv: readonly string[]): Promise<void>
}

/** How a client differs from the usual one. */
export interface ClientChanges {
  readonly connection?: Connection
  readonly hooks?: Hooks
  readonly around?: (fetch: Fetch) => Fetch
}

/** Each setting is read when it is first used, and once. */
export function createContext(io: Io, program: Program, dryRun: DryRun) {
  const flags = () => program.root.opts()
  const preferences = lazy((): Preferences => {
    return readPreferences(flags(), usableVariables(io.env, manualOf(program.current) ?? {}))
  })
  const output = lazy((): Output => {
    const { json, fields, jq, quiet, color } = preferences()
    return createOutput(io, {
      json: json.value,
      fields: fields.value,
      jq: jq.value,
      quiet: quiet.value,
      color: color.value,
    })
  })
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
    /** The flag that the command of a hint needs for the same profile; empty if it finds it without. */
    get profileFlag() {
      return profileFlag(flags())
    },
    /**
     * A client for the service. In a dry run a `write` client sends nothing: the call ends the command, and its request is
     * printed. A `check` client never sends: its calls fail, with INPUT_INVALID if the input is invalid.
     */
    client: async (purpose: 'read' | 'write' | 'check', changes: ClientChanges = {}) => {
      const used = changes.connection ?? connection()
      const { baseUrl, apiKey } = required(used, profileFlag(flags()))
      if (used.apiKey.isExposed === true) await warnOfExposure()
      const sends = purpose === 'read' || (purpose === 'write' && !preferences().dryRun.value)
      const unsent = purpose === 'write' ? dryRun : new DryRun()
      const fetch = sends ? await tracedFetch(io, preferences()) : unsent.fetch
      const { CertifyClient } = await import('../src/index.ts')
      return new CertifyClient({
        baseUrl,
        apiKey,
        timeoutMs: used.timeoutMs.value,
        deadlineMs: used.deadlineMs.value,
        fetch: changes.around?.(fetch) ?? fetch,
        hooks: { onRetry: (event) => void output().remark(retryText(event)), ...changes.hooks },
        ...(!sends && { retry: false }),
      })
    },
  }
}

function retryText({ code, waitMs }: RetryEvent): string {
  return `${code}: nothing was changed; trying again in ${Math.ceil(waitMs / 1000)} s.`
}

function required(
  { baseUrl, apiKey }: Connection,
  flag: string,
): { readonly baseUrl: string; readonly apiKey: string } {
  if (baseUrl.value === undefined) {
    throw configError(
      'no base URL: the address of the service is not set.',
      `Run \`certify auth login${flag}\`, set CERTIFY_BASE_URL or give --base-url. To try things out, start \`certify ` +
        'mock` and give --profile sandbox.',
    )
  }
  if (apiKey.value === undefined) {
    throw configError(
      'no API key.',
      `Run \`certify auth login${flag}\`, set CERTIFY_API_KEY, or set CERTIFY_API_KEY_FILE to the path of a file with the key.`,
      4,
    )
  }
  return { baseUrl: baseUrl.value, apiKey: apiKey.value }
}

async function tracedFetch(io: Io, { debug, json }: Preferences): Promise<Io['fetch']> {
  if (!debug.value) return io.fetch
  const { traceFetch, traceLine } = await import('./network/trace.ts')
  return traceFetch(io.fetch, io.now, (event) => {
    void say(io.stderr, `${json.value ? JSON.stringify({ trace: event }) : traceLine(event)}\n`)
  })
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
