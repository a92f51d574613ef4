import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { runIn } from '../package/consumer.ts'

const consumer = inject('consumer')
const here = import.meta.dirname

/* npm install downloads packages if its cache is empty. */
const TIMEOUT_MS = 300_000

test.each([
  { peers: 'oldest', nodes: ['node-20', 'node-22'] },
  { peers: 'newest', nodes: ['node-22', 'node-24'] },
])(
  'the package installs beside the $peers MSW and Vitest that it accepts, and its adapters pass their tests there',
  ({ peers, nodes }) => {
    const folder = mkdtempSync(join(tmpdir(), `certify-peers-${peers}-`))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(join(here, 'peers', peers), folder, { recursive: true })
    cpSync(join(here, 'peers/vitest.config.mjs'), join(folder, 'vitest.config.mjs'))
    const tests = ['calls.ts', 'msw.test.ts', 'msw-callbacks.test.ts', 'vitest.test.ts']
    for (const file of [...tests.map((name) => `mock-server/${name}`), 'src/http-server.ts', 'listen.ts']) {
      cpSync(join(here, '..', file), join(folder, 'test', file))
    }
    succeeds(folder, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', tarball()])
    for (const node of nodes) {
      succeeds(folder, join(here, 'packages/node_modules', node, 'bin/node'), ['node_modules/vitest/vitest.mjs', 'run'])
    }
  },
  TIMEOUT_MS,
)

function succeeds(folder: string, program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = runIn(folder, program, args)
  expect(status, `${program}\n${stdout}\n${stderr}`).toBe(0)
}

/* The tarball that the consumer's project was installed from. */
function tarball(): string {
  const { dependencies } = JSON.parse(readFileSync(join(consumer, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  return join(consumer, (dependencies['certify-sdk'] ?? '').replace('file:', ''))
}
