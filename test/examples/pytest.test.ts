import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { startProgram } from './program.ts'
import { installExample } from './run-example.ts'

/* The first Python that has pytest: on a machine with several, the one in the PATH may have none. */
const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import pytest'], { stdio: 'ignore' }).status === 0,
)
const env = { PYTHONDONTWRITEBYTECODE: '1' }

let folder: string
beforeAll(() => {
  const consumer = inject('consumer')
  folder = installExample(consumer, 'pytest')
  const command = join(folder, 'node_modules/.bin/certify')
  mkdirSync(join(command, '..'), { recursive: true })
  if (!existsSync(command)) symlinkSync(join(consumer, 'node_modules/.bin/certify'), command)
})

async function pytest(...flags: readonly string[]) {
  if (python === undefined) throw new Error('pytest is missing. Run: apt-get install python3-pytest')
  const { status, stdout, stderr } = await startProgram(
    folder,
    [python, '-m', 'pytest', '-p', 'no:cacheprovider', '-p', 'no:xdist', ...flags],
    env,
  ).ended
  return { status, stderr, output: stdout }
}

test('the Python tests pass against the mock, each in its own world', async () => {
  const { status, output } = await pytest('-q')
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('7 passed') })
  /* The mock has ended with them. */
  const running = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && folderOf(pid) === realpathSync(folder))
  expect(running).toEqual([])
})

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    /* It has ended, or belongs to another user. */
    return undefined
  }
}

test('the Python tests catch an application that sends again after a lost response', async () => {
  const file = join(folder, 'hiring.py')
  const program = readFileSync(file, 'utf8')
  const careless = program.replace('raise Unknown from error', 'return invite(base_url, key, email, quiz_id)')
  expect(careless).not.toBe(program)
  writeFileSync(file, careless)
  const { status, output } = await pytest('-q', '-k', 'lost_response')
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining('2 failed') })
})
