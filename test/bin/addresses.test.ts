import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addressWarning } from '../../bin/invites/doubtful-address.ts'
import { emailFault } from '../../src/util/email-address.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { QUIZ } from './bulk.ts'
import { createRunner } from './run.ts'

test('bulk warns about misspelled or incomplete domains and mixed scripts, and sends the rows', async () => {
  const { certify, home, mock } = createRunner(createMockServer({ behaviour: { internationalEmail: 'accept' } }))
  const file = join(home.folder, 'rows.csv')
  const emails = [
    'ada@gmial.com',
    'bob@gmial.com',
    'cem@mail.com',
    'x@p\u0430ypal.example',
    'ада@example.com',
    'eve@gmail.com',
    'fay@gmail',
  ]
  writeFileSync(file, `email,quiz_id\n${emails.map((email) => `${email},${QUIZ}\n`).join('')}`)
  const { stdout } = await certify(['bulk', file, '--dry-run', '--json'])
  const summary = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { readonly doubts: object }
  expect(summary.doubts).toMatchObject({ 'gmial.com (gmail.com?)': [2, 3], 'a domain has no dot': [8] })
  const { code, stderr } = await certify(['bulk', file, '--yes'])
  expect(code).toBe(0)
  const plan = stderr.replaceAll(/\s+/g, ' ')
  expect(plan).toContain('gmial.com (gmail.com?): 2 rows, the first is row 2')
  expect(plan).toContain('an address mixes Latin and Cyrillic in one label: row 5')
  expect(plan).toContain('a domain has no dot: row 8')
  expect(plan).not.toContain('mail.com (')
  expect(mock.invites).toHaveLength(emails.length)
})

test.each([
  ['“ann@example.com”', 'an address has U+201C, which is not a letter'],
  ['ann@example.com”', 'an address has U+201D, which is not a letter'],
  ['«ann@example.com»', 'an address has U+00AB, which is not a letter'],
  ['–ann@example.com', 'an address has U+2013, which is not a letter'],
  ['•ann@example.com', 'an address has U+2022, which is not a letter'],
  ['\u2800ann@example.com', 'an address has U+2800, which is not a letter'],
  ['-ann@example.com', 'an address begins with a punctuation mark'],
  ['*ann@example.com', 'an address begins with a punctuation mark'],
  ["'ann'@example.com", 'an address begins with a punctuation mark'],
  ['jürgen.o\u0308z+1@bücher.example', undefined],
  ['用户1@例子.公司', undefined],
])('what was copied with an address makes it doubtful: %s', (address, doubt) => {
  expect([emailFault(address), addressWarning(address)]).toEqual([undefined, doubt])
})

test('create warns about a misspelled domain, and sends', async () => {
  const { certify, mock } = createRunner()
  const { code, stderr } = await certify(['invites', 'create', '--quiz-id', QUIZ, '--email', 'ada@gmial.com'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('check the address: gmial.com (gmail.com?).')])
  expect(mock.invites).toHaveLength(1)
})

test('an invalid address gets no spelling warning as well', async () => {
  const { certify, home, mock } = createRunner()
  const file = join(home.folder, 'rows.csv')
  writeFileSync(file, `email,quiz_id\nada,${QUIZ}\nbob@,${QUIZ}\n`)
  const { code, stderr } = await certify(['bulk', file, '--yes'])
  expect([code, mock.invites]).toEqual([2, []])
  expect(stderr).toContain('invalid')
  expect(stderr).not.toContain('check addresses')
})
