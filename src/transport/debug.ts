import { isIdentifier } from '../option-rules.ts'
import type { CallHook } from './hooks.ts'

/** Receives debug lines. `console`, pino, winston and most other loggers are one. */
export interface DebugLogger {
  /**
   * @param line all facts as text, in one line
   * @param facts the same facts as data
   */
  debug(line: string, facts: DebugFacts): unknown
}

/** The facts of a debug line, by name. */
export type DebugFacts = Readonly<Record<string, string | number | readonly string[]>>

/** How to debug. */
export interface DebugOptions {
  /** Default: `console.error`. */
  readonly logger?: DebugLogger | undefined
  /**
   * Adds the service's own words after a failed attempt. They may contain a candidate's data. So it has an effect only
   * if the environment variable NODE_ENV is `development` or `test`. Default: `false`.
   */
  readonly apiMessages?: boolean | undefined
}

/** An event of a call for the debug lines. */
export interface DebugEvent {
  readonly hook: CallHook
  readonly facts: object
  /** The service's own words. */
  readonly apiMessages: readonly string[]
}

/** What writes the debug lines of a client; `undefined` if nobody wants them. */
export type DebugLog = ((event: DebugEvent) => unknown) | undefined

export function debugLog(given: boolean | DebugLogger | DebugOptions): DebugLog {
  if (given === false) return undefined
  const { logger = STDERR, apiMessages: isAsked = false }: DebugOptions =
    given === true ? {} : 'debug' in given ? { logger: given } : given
  const isShown = isAsked && isDevelopment()
  return ({ hook, facts, apiMessages }) => {
    const shown: Record<string, string | number | readonly string[]> = { event: EVENTS[hook] }
    for (const name of LOGGED) {
      const value: unknown = (facts as Record<string, unknown>)[name]
      if (typeof value === 'number') shown[name] = Math.round(value)
      else if (isIdentifier(value)) shown[name] = value
    }
    const words = Object.entries(shown).map(([name, value]) => `${name}=${String(value)}`)
    if (isAsked && apiMessages.length > 0) {
      shown['apiMessages'] = isShown ? apiMessages : HIDDEN
      words.push(`apiMessages=${inAscii(shown['apiMessages'])}`)
    }
    return logger.debug(`certify-sdk ${words.join(' ')}`, Object.freeze(shown))
  }
}

/* Not console.debug: on Node.js that is stdout, which may be the output of a program. */
const STDERR: DebugLogger = { debug: (line) => console.error(line) }

const EVENTS: Readonly<Record<CallHook, string>> = { onAttempt: 'attempt', onRetry: 'retry', onSettled: 'end' }

/* What a line may have, in this order. */
const LOGGED = [
  ...(['operation', 'reference', 'attempt', 'attempts', 'status', 'requestId', 'code', 'outcome'] as const),
  ...(['durationMs', 'waitMs'] as const),
]

const HIDDEN = 'hidden: NODE_ENV is not development or test'

/* An allow-list: many servers do not set NODE_ENV, and some runtimes have no environment. */
function isDevelopment(): boolean {
  try {
    const { process } = globalThis as { readonly process?: { readonly env?: Record<string, string | undefined> } }
    return ['development', 'test'].includes(process?.env?.['NODE_ENV'] ?? '')
  } catch {
    /* Deno without the permission to read it. */
    return false
  }
}

/* One line, without control characters: they could forge lines or control a terminal. */
function inAscii(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
