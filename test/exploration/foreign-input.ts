import { expect } from 'vitest'
import { toCampaignRow } from '../../bin/bulk/candidate-row.ts'
import { readCandidates } from '../../bin/bulk/read.ts'
import { CliError } from '../../bin/cli-error.ts'
import { readWorld, worldError } from '../../bin/sandbox/world-file.ts'
import { createMockServer, type MockWorld } from '../../mock-server/index.ts'
import { problemsIn } from '../../mock-server/world/problems.ts'
import { ioOf } from '../bin/run.ts'

/* With less CPU time than this, there is nothing to judge. */
const MIN_SECONDS = 0.005
/* For four times the input, linear time is four times as long, and quadratic time sixteen times. */
const MAX_GROWTH = 8

/**
 * Expects linear time for an input and another one four times as large. They are measured in turns, and the best of
 * each counts: noise only adds time, and quadratic time stays quadratic.
 */
export async function expectLinear(small: () => unknown, large: () => unknown): Promise<void> {
  /* Loads and compiles what it needs. */
  await small()
  const best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  for (let round = 1; round <= 10; round += 1) {
    best.small = Math.min(best.small, await cpuSecondsOf(small))
    best.large = Math.min(best.large, await cpuSecondsOf(large))
    if (best.large < MIN_SECONDS || (round > 1 && best.large < MAX_GROWTH * best.small)) return
  }
  expect(best.large / best.small).toBeLessThan(MAX_GROWTH)
}

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
    const { rows } = await readCandidates(io, '-', { quizId: 'quiz_1', sendEmail: true }, false, toCampaignRow)
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
