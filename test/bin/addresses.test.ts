import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { createRunner } from './run.ts'

const QUIZ = 'quiz_react_beginner_state'
const setUp = (internationalEmail: 'accept' | 'refuse') =>
  createRunner(createMockServer({ now: '2030-01-01T00:00:00Z', behaviour: { internationalEmail } }))
const create = (email: string) => ['invites', 'create', '--quiz-id', QUIZ, '--email', email]

test.each(['jürgen@example.com', 'x@bücher.example'])(
  'an international address is sent, and the service decides: %s',
  async (email) => {
    const accepting = setUp('accept')
    expect((await accepting.certify(create(email))).code).toBe(0)
    expect(accepting.mock.invites[0]?.candidate.email).toBe(email)
    const refusing = setUp('refuse')
    const { code, stderr } = await refusing.certify(create(email))
    expect([code, stderr]).toEqual([5, expect.stringContaining('the service says: candidate.email is not a valid')])
    expect(refusing.mock.invites).toEqual([])
  },
)

test('an invalid address is refused with the fault and its position', async () => {
  const { certify } = setUp('accept')
  const { code, stderr } = await certify(create('ada\u200b@example.com'))
  expect(code).toBe(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    '--email must be a valid e-mail address: it has U+200B at position 4',
  )
})

test('bulk warns about misspelled or incomplete domains and mixed scripts, and sends the rows', async () => {
  const { certify, home, mock } = setUp('accept')
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

test('create warns about a misspelled domain, and sends', async () => {
  const { certify, mock } = setUp('accept')
  const { code, stderr } = await certify(create('ada@gmial.com'))
  expect([code, stderr]).toEqual([0, expect.stringContaining('check the address: gmial.com (gmail.com?).')])
  expect(mock.invites).toHaveLength(1)
})

test('an invalid address gets no spelling warning as well', async () => {
  const { certify, home, mock } = setUp('accept')
  const file = join(home.folder, 'rows.csv')
  writeFileSync(file, `email,quiz_id\nada,${QUIZ}\nbob@,${QUIZ}\n`)
  const { code, stderr } = await certify(['bulk', file, '--yes'])
  expect([code, mock.invites]).toEqual([2, []])
  expect(stderr).toContain('invalid')
  expect(stderr).not.toContain('look again')
})

test.each([
  ['CERT_HAS_EXPIRED', 'Check the clock of this machine'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate is for another name'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'set NODE_EXTRA_CA_CERTS to a file with its certificate'],
])('the hint for %s is about the certificate', async (code, words) => {
  const { certify } = setUp('accept')
  const error = Object.assign(new Error('refused'), { code, syscall: 'connect' })
  const ended = await certify(['tracks', 'list'], {
    fetch: () => Promise.reject(error),
    env: { CERTIFY_DEADLINE: '1s' },
  })
  expect(ended.code).toBe(7)
  expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain(words)
})

test('a forbidden command names the scope that it needs', async () => {
  const { certify, mock } = setUp('accept')
  const key = (name: string) => mock.apiKeys.find((each) => each.name === name)?.key ?? ''
  const created = await certify(create('ada@example.com'), { env: { CERTIFY_API_KEY: key('read') } })
  expect([created.code, created.stderr]).toEqual([4, expect.stringContaining('CERTIFICATION_INVITE_CREATE')])
  const listed = await certify(['tracks', 'list'], { env: { CERTIFY_API_KEY: key('invite') } })
  expect([listed.code, listed.stderr]).toEqual([4, expect.stringContaining('CERTIFICATION_PACKAGE_READ')])
})

test('the hint recommends --if-invited reuse only if it would print the recorded invite', async () => {
  const { certify } = setUp('accept')
  await certify([...create('ada@example.com'), '--name', 'Ada'])
  const same = await certify([...create('ada@example.com'), '--name', 'Ada'])
  expect(same.stderr).toContain('--if-invited reuse')
  const other = await certify([...create('ada@example.com'), '--name', 'Other'])
  expect(other.code).toBe(5)
  expect(other.stderr).not.toContain('--if-invited reuse')
  expect(other.stderr).toContain('It differs in --name')
})
