import { expect, test } from 'vitest'
import { createRunner, type Ended } from './run.ts'

async function completed(words: readonly string[]): Promise<Ended['stdout']> {
  return (await createRunner().certify(['__complete', '--', ...words])).stdout
}

test.each([
  ['a command', ['tr'], /^tracks\t/],
  ['a command of a group', ['ledger', 'p'], /^purge\tremove records for good\n$/],
  ['a command after flags', ['--profile', 'sandbox', 'tracks', 'v'], /^view\t.*\n$/],
  ['a flag', ['invites', 'resolve', '--not-'], /^--not-created\tnothing was created; it can be created again\n$/],
  ['a common flag', ['tracks', 'list', '--tim'], /^--timeout\t.+\n$/],
  ['a choice', ['invites', 'create', '--if-invited', 're'], /^refuse\t\nreuse\t\n$/],
  ['a choice after an equals sign', ['invites', 'create', '--if-unknown=c'], /^--if-unknown=create\t\n$/],
  ['the same, as bash splits it', ['invites', 'create', '--if-unknown', '=', 'c'], /^create\t\n$/],
  ['an argument with choices', ['completion', ''], /^bash\t\nzsh\t\nfish\t\n$/],
  ['a file', ['ledger', 'check', '--ledger', ''], /^:files\n$/],
  ['a file', ['bulk', ''], /^:files\n$/],
  ['a file', ['mock', 'init', ''], /^:files\n$/],
  ['nothing for an id of the ledger', ['invites', 'view', ''], /^$/],
  ['nothing for a name', ['invites', 'create', '--name', ''], /^$/],
  ['no flag that the command does not have', ['bulk', 'x.csv', '--fie'], /^$/],
])('completes %s: %j', async (_what, words, expected) => {
  expect(await completed(words)).toMatch(expected)
})
