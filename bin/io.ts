import type { Fetch } from '../src/index.ts'

/** Where text goes: a terminal, a pipe or a file. */
export interface Stream {
  /** Kept once the text has been handed over; broken with the system's error where nobody takes it. */
  write(text: string): Promise<void>
  readonly isTTY: boolean
  /** The width of the terminal in columns. */
  readonly columns: number
}

/** Where text comes from. */
export interface Input {
  /** All of it, to its end. */
  text(): Promise<string>
  /** The same as it comes; ends with an error when the signal is aborted. */
  bytes(signal: AbortSignal): AsyncIterable<Uint8Array>
  readonly isTTY: boolean
}

/** What a person at the terminal is asked. */
export interface Question {
  readonly text: string
  /** Whether the answer stays invisible, as a key has to. */
  readonly hidden?: boolean
}

/** Another program to run. */
export interface Child {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** How it ended: with an exit code, 128 and its number where that was a signal; or why it could not be started. */
export type ChildEnd = { readonly exitCode: number } | { readonly failure: string }

/** Everything of the outside world that a command may touch, so that a test can be that world. */
export interface Io {
  /** What stands after the program's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  readonly stdout: Stream
  readonly stderr: Stream
  /** Asks at the terminal; `undefined` where the person ended the input instead of answering. */
  readonly ask: (question: Question) => Promise<string | undefined>
  readonly fetch: Fetch
  /** Runs another program with the streams of this one, to its end. */
  readonly run: (child: Child) => Promise<ChildEnd>
  readonly readFile: (path: string) => string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (durationMs: number) => Promise<void>
  /** Aborted with the signal's name when the program is asked to stop. */
  readonly interruption: AbortSignal
}
