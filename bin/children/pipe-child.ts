import type { ChildProcess } from 'node:child_process'
import { text } from 'node:stream/consumers'
import spawn from 'cross-spawn'
import { systemCode } from '../cli-error.ts'
import type { Child, PipeEnd } from '../io.ts'

const ENDED_BY_SIGNAL = 128

/** Runs another program with a text as its input, and collects what it writes. An interruption ends it. */
export async function pipeChild(
  { program, args, env }: Child,
  input: string,
  interruption: AbortSignal,
): Promise<PipeEnd> {
  let child: ChildProcess | undefined
  const end = () => void child?.kill()
  interruption.addEventListener('abort', end)
  try {
    const started = spawn(program, args, { env })
    child = started
    if (interruption.aborted) end()
    const ended = new Promise<number>((resolve, reject) => {
      started.on('error', reject).on('close', (code) => resolve(code ?? ENDED_BY_SIGNAL))
    })
    /* It may end before it has read all of it: its exit code tells what happened. */
    started.stdin?.on('error', () => {}).end(input)
    /* One that could not be started may have no streams. */
    const read = [started.stdout, started.stderr].map(async (stream) => (stream ? text(stream) : ''))
    /* More than fits into a text, as of a filter without an end. */
    const written = Promise.all(read).catch(end)
    const exitCode = await ended
    const [output = '', errors = ''] = (await written) ?? []
    return { exitCode, output, errors }
  } catch (error) {
    return { failure: systemCode(error) }
  } finally {
    interruption.removeEventListener('abort', end)
  }
}
