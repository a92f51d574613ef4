import { readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/* Most of what tests write is a ledger, and most of that time is its fsync: in memory there is none. */
if (hasMemoryFolder()) process.env['TMPDIR'] ??= '/dev/shm'

/* Linux has this folder, in a container often a small one. Tests run programs from it. */
function hasMemoryFolder(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const isExecutable = /^\S+ \/dev\/shm tmpfs (?!\S*\bnoexec\b)/m.test(readFileSync('/proc/mounts', 'utf8'))
    const { bavail, bsize } = statfsSync('/dev/shm')
    return isExecutable && bavail * bsize >= 2 ** 30
  } catch {
    return false
  }
}

/* Files that take half a minute or more start first: otherwise one of them would run alone at the end of its stage. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)))
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  const names = /\/(actions-bulk|axe|container|guides|exploration|foreign-text|outage|pages|queues|survival)\.test\.ts$/
  return names.test(moduleId)
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    /* The style of the mock's page is a text like any other: without this it would be an empty one. */
    css: true,
    setupFiles: 'test/titles.ts',
    /* These limits end tests that hang. A slow machine is no fault. */
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    /* One file answers in half the time, from the second run on. */
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{src,bin,mock-server}/**/*.test.ts', 'test/*.test.ts'],
          /* Loading the program for each file took as long as the tests. */
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/*.test.ts'],
          isolate: false,
          globalSetup: 'test/package/consumer.ts',
        },
      },
      {
        extends: true,
        test: { name: 'exploration', include: ['test/exploration/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'wire',
          include: ['test/wire/*.test.ts'],
          /* Read when a process starts: so that the fetch of Node.js trusts the service of these tests. */
          env: { NODE_EXTRA_CA_CERTS: join(import.meta.dirname, 'test/certificates/ca.pem') },
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: { name: 'browser', include: ['test/browser/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'engines',
          include: ['test/{postgres,queues,ledger,callbacks}/*.test.ts'],
          testTimeout: 900_000,
          globalSetup: 'test/postgres/setup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'runtimes',
          include: ['test/{runtimes,examples,shells,container}/*.test.ts'],
          globalSetup: 'test/package/consumer.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'site',
          include: ['test/site/*.test.ts'],
          globalSetup: 'test/site/setup.ts',
        },
      },
    ],
  },
})
