import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError, systemCode } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { replaceFile } from '../replace-file.ts'
import type { MockFlags } from './flags.ts'

/** The state to begin with, not yet checked; `undefined` where there is none. @throws CliError */
export function readState({ readFile }: Pick<Io, 'readFile'>, { state, exportOnExit }: MockFlags): unknown {
  if (state === undefined) return undefined
  const text = textOf(readFile, state, exportOnExit !== undefined && resolve(exportOnExit) === resolve(state))
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CliError(`the file of --state, ${state}, holds no JSON.`, STATE_HINT)
  }
}

/** What to do where a file holds no state. */
export const STATE_HINT = 'Give a file that --export-on-exit wrote, or that the page of a mock exported.'

/* Where the same file is written at the end, the first run is the one that finds none. */
function textOf(readFile: Io['readFile'], path: string, mayBeMissing: boolean): string | undefined {
  try {
    return readFile(path)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' && mayBeMissing) return undefined
    throw new CliError(
      `the file of --state, ${path}, cannot be read (${code}).`,
      'Check its path; to begin without it, give --export-on-exit the same file.',
    )
  }
}

/** The file that the state goes to at the end: found out to be writable when it is made. @throws CliError */
export class StateFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
    try {
      /* A device, a pipe or a socket would be replaced by the file, and be gone. */
      if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new NoFile(path)
      const trial = `${path}.${process.pid}.${Date.now()}.trial`
      closeSync(openSync(trial, 'wx', 0o600))
      rmSync(trial)
    } catch (error) {
      throw new CliError(
        `the file of --export-on-exit, ${path}, cannot be written (${systemCode(error)}).`,
        'Name a file in a folder that is there and can be written to.',
      )
    }
  }

  /** Replaces the file in one step: whoever reads it finds the old state or the new one. @throws CliError */
  write(state: unknown): void {
    try {
      replaceFile(this.path, `${JSON.stringify(state)}\n`)
    } catch (error) {
      throw new CliError(
        `the state could not be written to ${this.path} (${systemCode(error)}); it is lost, and what was there before is untouched.`,
        'Check the folder and the disk.',
        { code: 'OUTPUT_FAILED', exitCode: 1 },
      )
    }
  }
}

class NoFile extends Error {
  readonly code: string

  constructor(path: string) {
    super()
    this.code = statSync(path).isDirectory() ? 'EISDIR' : 'no regular file'
  }
}
