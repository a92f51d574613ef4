import { expect, test } from 'vitest'
import { DryRun } from '../../bin/network/dry-run.ts'
import { CommandLine } from '../../bin/program.ts'
import { referenceOf } from './reference.ts'
import { ioOf } from './run.ts'

test('docs/cli.md is what the program says of itself: npm run docs:cli writes it anew', async () => {
  const line = new CommandLine(ioOf([], {}).io, new DryRun())
  await expect(await referenceOf(line)).toMatchFileSnapshot('../../docs/cli.md')
})
