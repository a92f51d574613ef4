import type { Fetch } from '../src/index.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Where text goes: a terminal, a pipe or a file. */
export interface Stream {
  /** Resolves once the system has accepted the text. Rejects with the system's error. */
  write(text: string): Promise<void>
  readonly isTTY: boolean
  readonly columns: number
}

export interface Input {
  text(): Promise<string>
  /** The same in pieces. Throws when the signal is aborted. */
  bytes(signal: AbortSignal): AsyncIterable<Uint8Array>
  readonly isTTY: boolean
}

/** A question to the person at the terminal. */
export interface Question {
  readonly text: string
  /** Whether the typed answer stays invisible, as a key must. */
  readonly hidden?: boolean
}

export interface Child {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Env
}

/** How it ended: its exit code (128 plus the number of a signal), or why it could not be started. */
export type ChildEnd = { readonly exitCode: number } | { readonly failure: string }

/** Everything outside the program that a command may use, so that a test can replace it. */
export interface Io {
  /** Without the program's name. */
  readonly argv: readonly string[]
  readonly env: Env
  readonly stdin: Input
  readonly stdout: Stream
  readonly stderr: Stream
  /** Resolves with `undefined` if the person ends the input instead of answering. */
  readonly ask: (question: Question) => Promise<string | undefined>
  readonly fetch: Fetch
  /** Runs another program with the streams of this one, to its end. */
  readonly run: (child: Child) => Promise<ChildEnd>
  readonly readFile: (path: string) => string
  /** Unix milliseconds. */
  readonly now: () => number
  readonly sleep: (durationMs: number) => Promise<void>
  /** Aborted with the signal's name by SIGINT, SIGTERM and SIGHUP. */
  readonly interruption: AbortSignal
}
