import { expect, test } from 'vitest'
import { CommandLine } from '../../bin/program.ts'
import { referenceOf } from './reference.ts'
import { ioOf } from './run.ts'

test('docs/cli.md is up to date (npm run docs updates it)', async () => {
  const line = new CommandLine(ioOf([], {}).io)
  await expect(await referenceOf(line)).toMatchFileSnapshot('../../docs/cli.md')
})
