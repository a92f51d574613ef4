import { expect, test } from 'vitest'
import { createBulk, QUIZ, table } from './bulk.ts'

/* A file with a column, and a value in it for each candidate. */
const file = (heading: string, ...values: readonly string[]) =>
  table(`email,quiz_id,"${heading}"`, ...values.map((value, index) => `c${index}@example.com,${QUIZ},${value}`))

async function planned(content: string, ...flags: readonly string[]) {
  const { code, rows, stderr } = await createBulk().plan(content, flags)
  return code === 0 ? rows.map(({ email = '' }) => email.slice(0, 2)).join(' ') : stderr.replaceAll('\\"', '"')
}

test.each<[heading: string, values: readonly string[], rows: string]>([
  ['Do not contact', ['yes', ''], '1 row; the first is row 2'],
  ['do_not_contact', ['', 'TRUE', 'x'], '2 rows; the first is row 3'],
  ['Withdrawn?', ['no', '2030-01-02'], '1 row; the first is row 3'],
  ['Candidate: Disqualified', ['No', 'Yes'], '1 row; the first is row 3'],
  ['Opted out', ['1', '0'], '1 row; the first is row 2'],
  ['Nicht kontaktieren', ['', 'ja'], '1 row; the first is row 3'],
  ['Désinscrit', ['non', 'oui'], '1 row; the first is row 3'],
  ['Descartado / Excluido', ['no'], ''],
  ['Excluído', ['não', 'sim'], '1 row; the first is row 3'],
  ['Invite?', ['yes', 'no'], '1 row; the first is row 3'],
  ['Invite (Y/N)', ['Y', 'N'], '1 row; the first is row 3'],
  ['Send', ['x', '', 'x'], '1 row; the first is row 3'],
  ['Einladen', ['wahr', 'falsch'], '1 row; the first is row 3'],
  ['Uitnodigen', ['ja', 'nee'], '1 row; the first is row 3'],
  ['Approved', ['yes', 'not yet'], '1 row; the first is row 3'],
  ['Opted out of e-mails', ['no', 'yes'], '1 row; the first is row 3'],
  ['Candidate withdrew (reason)', ['', 'found a job'], '1 row; the first is row 3'],
  ['suspended', ['0', '1'], '1 row; the first is row 3'],
  ['Kontakt erlaubt (DSGVO)', ['Ja', 'Nein'], '1 row; the first is row 3'],
  ['May we contact you?', ['yes', 'no'], '1 row; the first is row 3'],
  ['招待', ['はい', 'いいえ'], '1 row; the first is row 3'],
  ['Do not contact', ['', 'no', 'FALSE'], ''],
  ['Invite?', ['yes', 'ja', 'true'], ''],
  ['Send', ['', ''], ''],
  ['Active', ['since 2029', 'since 2028'], ''],
  ['Vetted', ['no', 'yes'], ''],
])('the column %j with %j stops the run only if it says not to invite a row', async (heading, values, rows) => {
  const stop = `the column "${heading}" says not to invite ${rows}.`
  expect(await planned(file(heading, ...values))).toContain(rows === '' ? 'c0' : stop)
  expect(await planned(file(heading, ...values), '--map', `${heading}=ignore`)).toMatch(/^c0/)
})

test.each<[flags: readonly string[], sent: string]>([
  [['--only', 'Invite?=yes'], 'c0 c3'],
  [['--only', 'invite=ja'], 'c0 c3'],
  [['--skip', 'Invite?=no', '--skip', 'Invite?=', '--skip', 'Invite?=later'], 'c0 c3'],
  [['--only', 'Invite?=yes', '--only', 'Invite?=LATER', '--map', 'Invite?=ignore'], 'c0 c3 c4'],
])('%j leaves out the other rows', async (flags, sent) => {
  expect(await planned(file('Invite?', 'yes', 'no', '', 'X', 'later'), ...flags)).toBe(sent)
})

test('what remains after --only and --skip must not say no', async () => {
  const content = table(
    'email,quiz_id,Invite,DNC',
    `c0@example.com,${QUIZ},yes,`,
    `c1@example.com,${QUIZ},yes,legal`,
    `c2@example.com,${QUIZ},no,`,
  )
  expect(await planned(content, '--only', 'Invite=yes')).toContain('the column "DNC" says not to invite 1 row')
  expect(await planned(content, '--only', 'Invite=yes', '--skip', 'DNC=yes')).toBe('c0')
})

test('the keys of JSON decide as headings do', async () => {
  const content = JSON.stringify([
    { email: 'c0@example.com', quiz_id: QUIZ },
    { email: 'c1@example.com', quiz_id: QUIZ, doNotContact: true },
    { email: 'c2@example.com', quiz_id: QUIZ, doNotContact: 0 },
  ])
  expect(await planned(content)).toContain('the column "doNotContact" says not to invite 1 row; the first is row 2.')
  expect(await planned(content, '--skip', 'doNotContact=yes')).toBe('c0 c2')
})

test.each([
  [['--only', 'Invited?=yes'], '--only: the file has no column "Invited?".'],
  [['--skip', 'yes'], 'It must be a heading and a value'],
])('%j is refused', async (flags, words) => {
  expect(await planned(file('Notes', 'a'), ...flags)).toContain(words)
})
