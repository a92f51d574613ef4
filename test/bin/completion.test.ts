import { expect, test } from 'vitest'
import { createRunner, type Ended } from './run.ts'

async function completed(words: readonly string[], { certify } = createRunner()): Promise<Ended['stdout']> {
  return (await certify(['__complete', '--', ...words])).stdout
}

test.each([
  ['a command', ['tr'], /^tracks\t/],
  ['a command of a group', ['ledger', 'p'], /^purge\tremove records for good\n$/],
  ['a command after flags', ['--profile', 'sandbox', 'tracks', 'v'], /^view\t.*\n$/],
  ['a command to get help for', ['help', 'inv'], /^invites\t.*\n$/],
  ['a flag', ['invites', 'resolve', '--cam'], /^--campaign\tthe unknown creates of this campaign\n$/],
  ['a common flag', ['tracks', 'list', '--tim'], /^--timeout\t.+\n$/],
  ['a choice', ['invites', 'create', '--if-invited', 're'], /^refuse\t\nreuse\t\n$/],
  ['a choice behind an equals sign', ['invites', 'create', '--if-unknown=c'], /^--if-unknown=create\t\n$/],
  ['the same as bash divides it', ['invites', 'create', '--if-unknown', '=', 'c'], /^create\t\n$/],
  ['an argument with choices', ['completion', ''], /^bash\t\nzsh\t\nfish\t\n$/],
  ['a profile', ['--profile', 'san'], /^sandbox\tprofile\n$/],
  ['a list of fields', ['tracks', 'list', '--fields', 'slug,na'], /^slug,name\t\n$/],
  ['a file', ['ledger', 'check', '--ledger', ''], /^:files\n$/],
  ['a file', ['bulk', ''], /^:files\n$/],
  ['a file', ['mock', 'init', ''], /^:files\n$/],
  ['nothing for an id of the ledger', ['invites', 'view', ''], /^$/],
  ['nothing for a name', ['invites', 'create', '--name', ''], /^$/],
  ['no flag that the command does not have', ['bulk', 'x.csv', '--fie'], /^$/],
])('completes %s: %j', async (_what, words, expected) => {
  expect(await completed(words)).toMatch(expected)
})

test('of the names that a service sends only those are offered in which no shell reads anything', async () => {
  const hostile = ['$(x)', '`id`', 'a;b', 'a b', 'a\nb', '\u001B[2J', ':files', '--yes', '-', '', "a'b", '~', 'a*']
  const tracks = ['react', 'a.b:c@d/e-f_1', ...hostile].map((name) => {
    return { id: name, name: `${name}\u001B[2J\u202E`, slug: name, packages: [] }
  })
  const fetch = async () => Response.json({ data: { developerCertificationPackageTracks: tracks } })
  const runner = createRunner()
  await runner.certify(['tracks', 'list'], { fetch })
  expect(await completed(['tracks', 'view', ''], runner)).toBe('react\treact\na.b:c@d/e-f_1\ta.b:c@d/e-f_1\n')
})
