import { closeSync, openSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError, systemCode } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { refuseSpecialFile, replaceFile } from '../files.ts'
import type { MockFlags } from './flags.ts'

/** Reads the initial state, not yet checked; `undefined` if there is none. @throws CliError */
export function readState({ readFile }: Pick<Io, 'readFile'>, { state, exportOnExit }: MockFlags): unknown {
  if (state === undefined) return undefined
  try {
    return JSON.parse(readFile(state)) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new CliError(`the file of --state, ${state}, is not JSON.`, STATE_HINT)
    }
    const code = systemCode(error)
    /* If the state is written to the same file on exit, the first run finds none. */
    if (code === 'ENOENT' && exportOnExit !== undefined && resolve(exportOnExit) === resolve(state)) return undefined
    throw new CliError(
      `the file of --state, ${state}, cannot be read (${code}).`,
      'Check its path; to begin without it, give --export-on-exit the same file.',
    )
  }
}

export const STATE_HINT = 'Name a file that --export-on-exit wrote, or that the page of a mock exported.'

/** The file for the state on exit. The constructor checks that it can be written. @throws CliError */
export class StateFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
    try {
      refuseSpecialFile(path)
      const trial = `${path}.${process.pid}.${Date.now()}.trial`
      closeSync(openSync(trial, 'wx', 0o600))
      rmSync(trial)
    } catch (error) {
      throw new CliError(
        `the file of --export-on-exit, ${path}, cannot be written (${systemCode(error)}).`,
        'Name a file in a folder that exists and can be written to.',
      )
    }
  }

  /** Replaces the file atomically: a reader finds the old state or the new one. @throws CliError */
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
