import { readCandidates } from '../bin/bulk/read.ts'
import { CliError } from '../bin/cli-error.ts'
import { readWorld, worldError } from '../bin/sandbox/world-file.ts'
import { createMockServer, type MockWorld } from '../mock-server/index.ts'
import { problemsIn } from '../mock-server/world/problems.ts'
import { ioOf } from './bin/run.ts'

/** The CPU seconds that this takes, so that other processes of the machine do not count. */
export async function cpuSecondsOf(run: () => unknown): Promise<number> {
  const start = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000_000
}

/** Reads a sheet as `certify bulk` does. Returns the number of its rows, or the error that a user sees. */
export async function readSheet(bytes: string | Uint8Array): Promise<number | CliError> {
  const { io } = ioOf([], { stdin: bytes })
  try {
    const { rows } = await readCandidates(io, '-', { quizId: 'quiz_1', sendEmail: true }, false)
    return [...rows].length
  } catch (error) {
    return refusal(error)
  }
}

/** Starts a mock in process with the world of a file. Returns `undefined`, or the error that a user sees. */
export async function readWorldFile(name: string, text: string): Promise<undefined | CliError> {
  const { io } = ioOf([], { files: { [name]: text } })
  try {
    const file = readWorld(io, name)
    try {
      await createMockServer({ world: file.world as MockWorld }).close()
      return undefined
    } catch (error) {
      const problems = problemsIn(error)
      if (problems === undefined) throw error
      return worldError(file, problems)
    }
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): CliError {
  if (error instanceof CliError) return error
  throw error
}
