import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { lend, repository, runIn, writeProject } from './consumer.ts'

const consumer = inject('consumer')

test('the contract of a ledger runs from the package, against the store that the guide begins with', () => {
  lend(consumer, 'vitest')
  const source = (name: string) => readFileSync(join(repository, 'examples/ledger-store', name), 'utf8')
  const folder = writeProject(consumer, 'ledger-contract', {
    'memory-store.ts': fromPackage(source('memory-store.ts')),
    'contract.test.ts': fromPackage(source('contract.test.ts')),
  })
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const { status, stdout } = runIn(folder, 'node', [vitest, 'run', '--root', folder], { NO_COLOR: '1' })
  expect(stdout).toMatch(/Tests +1\d\d passed/)
  expect(status).toBe(0)
})

/* As the example says it. */
function fromPackage(code: string): string {
  const changed = code
    .replace('../../src/ledger/contract/index.ts', 'certify-sdk/ledger/contract')
    .replace('../../src/ledger/index.ts', 'certify-sdk/ledger')
  expect(changed).not.toContain('../src/')
  return changed
}
