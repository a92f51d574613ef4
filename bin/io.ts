import type { Fetch } from '../src/index.ts'

/** Where text goes: a terminal, a pipe or a file. */
export interface Stream {
  /** Kept once the text has been handed over; broken with the system's error where nobody takes it. */
  write(text: string): Promise<void>
  readonly isTTY: boolean
  /** The width of the terminal in columns. */
  readonly columns: number
}

/** Everything of the outside world that a command may touch, so that a test can be that world. */
export interface Io {
  /** What stands after the program's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Stream
  readonly stderr: Stream
  readonly fetch: Fetch
  readonly readFile: (path: string) => string
  /** Aborted with the signal's name when the program is asked to stop. */
  readonly interruption: AbortSignal
}
