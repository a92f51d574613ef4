import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createBulk, QUIZ, table } from './bulk.ts'

/* A file with a column, or several, and a value in it for each candidate. */
const people = (heading: string, ...rows: readonly string[]) =>
  table(`email,quiz_id,${heading}`, ...rows.map((row, index) => `c${index}@example.com,${QUIZ},${row}`))

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
  expect(await planned(people(heading, ...values))).toContain(rows === '' ? 'c0' : stop)
  expect(await planned(people(heading, ...values), '--map', `${heading}=ignore`)).toMatch(/^c0/)
})

test.each<[flags: readonly string[], sent: string]>([
  [['--only', 'Invite?=yes'], 'c0 c3'],
  [['--only', 'invite=ja'], 'c0 c3'],
  [['--skip', 'Invite?=no', '--skip', 'Invite?=', '--skip', 'Invite?=later'], 'c0 c3'],
  [['--only', 'Invite?=yes', '--only', 'Invite?=LATER', '--map', 'Invite?=ignore'], 'c0 c3 c4'],
])('%j leaves out the other rows', async (flags, sent) => {
  expect(await planned(people('Invite?', 'yes', 'no', '', 'X', 'later'), ...flags)).toBe(sent)
})

test('what remains after --only and --skip must not say no', async () => {
  const content = people('Invite,DNC', 'yes,', 'yes,legal', 'no,')
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
  expect(await planned(people('Notes', 'a'), ...flags)).toContain(words)
})

const stopped = async (content: string, ...flags: readonly string[]) => {
  const { code, stderr } = await createBulk().plan(content, flags)
  const { error } = JSON.parse(stderr || '{"error":{}}') as { error: { code: string; message: string; hint: string } }
  return { exitCode: code, ...error }
}

test.each([
  ['Status', ['Active', 'Do Not Contact', 'Active'], 'Do Not Contact 1'],
  ['Tags', ['vue', 'react; NO REHIRE', ''], 'react; NO REHIRE 1'],
  ['Stan', ['Rozmowa', 'Zrezygnował(a)', 'Rozmowa'], 'Zrezygnował(a) 1'],
  ['Comment', ['', 'please do NOT e-mail her', 'x'], 'please do NOT e-mail her 1'],
  ['Answer', ['', 'No I declined the offer', 'x'], 'No I declined the offer 1'],
  ['Assessment status', ['Not started', 'Passed 91%', 'To send'], 'Passed 91% 1'],
  ['Recruiting', ['対応中', '採用見送り', '対応中'], '採用見送り 1'],
])('a value that says no stops whatever its column is called: %s', async (heading, values, says) => {
  const { code, message } = await stopped(people(heading, ...values))
  expect([code, message]).toEqual(['SHEET_SAYS_NO', expect.stringContaining(`1 row; the first is row 3: ${says}.`)])
})

test.each([
  ['Company', ['Blocked Drains Ltd', 'Rejected Wines SL', 'Archive.org']],
  ['Notes', ['no calls before 10', 'never late', 'Nein and Noah know her']],
  ['Gender', ['Decline to self-identify', 'I do not wish to answer', 'Female']],
  ['Owner', ['Skip Reed', 'Ann Nein', 'Don Notte']],
  ['Status', ['not rejected', 'noch nicht eingeladen', 'to be invited']],
  ['May we contact your current employer?', ['No', 'Yes', 'No']],
])('names and phrases in which such a word means something else stop nothing: %s', async (heading, values) => {
  expect(await planned(people(heading, ...values))).toBe('c0 c1 c2')
})

test.each([
  ['Invite?', ['checked', ''], '--only "Invite?=yes"'],
  ['Send test', ['✅', ''], '--only "Send test=yes"'],
  ['Einladen', ['geht klar', ''], '--skip "Einladen="'],
  ['GDPR consent', ['Granted', 'Withdrawn'], '--only "GDPR consent=yes"'],
  ['Zgoda', ['TAK', 'NIE'], '--only "Zgoda=yes"'],
])('under a heading of invites or consent, %s, a blank beside any tick is a no', async (heading, values, flag) => {
  const { message, hint } = await stopped(people(heading, ...values))
  expect([message, hint]).toEqual([
    expect.stringContaining('1 row; the first is row 3.'),
    expect.stringContaining(flag),
  ])
  const [, name = '', condition = ''] = /^(--\w+) "(.*)"$/.exec(flag) ?? []
  expect(await planned(people(heading, ...values), name, condition)).toBe('c0')
})

test.each([
  ['Are you happy to do our test?', 'Sure', 'Nope'],
  ['Haben Sie Interesse an einem Online-Test?', 'Ja', 'Nein'],
  ['¿Está interesado en realizar la prueba?', 'Sí', 'No'],
  ['Czy chcesz wziąć udział w teście?', 'Tak', 'Nie'],
  ['テストを受験しますか', 'はい', 'いいえ'],
])('however a yes or no about the test is asked, a no is one: %s', async (heading, yes, no) => {
  expect((await stopped(people(heading, yes, no))).message).toContain('says not to invite 1 row; the first is row 3.')
  expect(await planned(people(heading, yes, no), '--only', `${heading}=${yes}`)).toBe('c0')
})

test('the flags of a hint are words of a shell, whatever a value is', async () => {
  const stage = [
    { id: 1, name: 'Screen' },
    { id: 2, name: 'Rejected' },
  ]
  const content = stage.map((each, index) =>
    JSON.stringify({ email: `c${index}@example.com`, quiz_id: QUIZ, stage: each }),
  )
  const { hint } = await stopped(content.join('\n'))
  expect(hint).toContain(String.raw`--skip "stage={\"id\":2,\"name\":\"Rejected\"}"`)
  expect(await planned(content.join('\n'), '--skip', `stage=${JSON.stringify(stage[1])}`)).toBe('c0')
})

test('a heading alone stops all rows only if nobody reads the plan', async () => {
  const content = people('Hired by', 'Rita', 'Tom')
  const { run, at } = createBulk()
  writeFileSync(at('all'), content)
  const { code, stderr } = await run(['bulk', at('all'), '--dry-run'])
  const words = stderr.replaceAll(/ +/g, ' ')
  expect([code, words]).toEqual([0, expect.stringContaining(' not used "Hired by": Rita 1, Tom 1\n')])
  const { hint } = await stopped(content, '--yes')
  expect(hint).toBe('If it does not mean that, give --map "Hired by=ignore".')
  expect(await planned(content, '--yes', '--map', 'Hired by=ignore')).toBe('c0 c1')
})

test.each(['Date invited', 'Test link', 'Einladung verschickt am', '招待日'])(
  'a filled column %s means an invite that the ledger may not know',
  async (heading) => {
    const { message, hint } = await stopped(people(heading, '2029-12-30', ''))
    expect(message).toContain('says that 1 row has an invite; the first is row 2.')
    expect(hint).toMatch(/^Record their invites with `certify ledger import`/)
    expect(await planned(people(heading, '2029-12-30', ''), '--skip', `${heading}=yes`)).toBe('c1')
  },
)

test.each(['Stage', 'Bewerbungsstatus', 'Etapa del proceso', '選考フェーズ', 'Estágio (status)'])(
  'with --yes, the column %s must be named, by the list of those to invite first',
  async (heading) => {
    const content = people(heading, 'One', 'Two', 'One', '')
    expect(await planned(content)).toBe('c0 c1 c2 c3')
    const { code, message, hint } = await stopped(content, '--yes')
    expect([code, message]).toEqual(['SHEET_SAYS_NO', expect.stringContaining('One 2, Two 1, blank 1')])
    expect(hint).toContain(`--only "${heading}=One" --only "${heading}=Two"`)
    expect(await planned(content, '--yes', '--only', `${heading}=One`)).toBe('c0 c2')
    expect(await planned(content, '--yes', '--skip', `${heading}=Two`)).toBe('c0 c2 c3')
    expect(await planned(content, '--yes', '--map', `${heading}=ignore`)).toBe('c0 c1 c2 c3')
  },
)

test('a column about a life or a time is no status', async () => {
  for (const heading of ['Marital status', 'Familienstand', 'Stage date', 'Status changed on'])
    expect(await planned(people(heading, 'One', 'Two', 'One'), '--yes')).toBe('c0 c1 c2')
})

test('columns that share a heading, or have none, are told apart by their letters', async () => {
  const content = people('Status,,Status', 'Active,,Interview', 'Active,x,Rejected', 'Active,,Interview')
  expect(await planned(content)).toContain('the column "Status (E)" says not to invite 1 row')
  expect(await planned(content, '--skip', 'Status (E)=Rejected', '--skip', 'column D=x')).toBe('c0 c2')
  expect(await planned(content, '--skip', 'Status=Rejected')).toContain('Several have it: "Status (C)", "Status (E)".')
  const twice = table('Email,Name,Email,quiz_id', `a@example.com,A,c7@example.com,${QUIZ}`)
  expect(await planned(twice)).toContain('several columns mean email: "Email (A)", "Email (C)"')
  expect(await planned(twice, '--map', 'Email (C)=email')).toBe('c7')
})

test.each([
  [['--only', 'Stage=Rejekted'], 'no row has "Rejekted" in "Stage", which has Screen 2, Rejected 1.'],
  [['--only', 'Stage=Offer'], 'no row has "Offer" in "Stage"'],
  [['--skip', 'Stage=re-jected'], 'no row has "re-jected" in "Stage"'],
  [['--only', 'Stage=Offer', '--only', 'Stage=Screen'], 'c0 c2'],
  [['--skip', 'Stage=Hired', '--skip', 'Stage=Rejected'], 'c0 c2'],
])('a condition that no row meets is refused if it seems to be mistyped: %j', async (flags, says) => {
  expect(await planned(people('Stage', 'Screen', 'Rejected', 'Screen'), ...flags)).toContain(says)
})

test('all that a sheet leaves open comes at once, each with its flags', async () => {
  const content = table(
    'Personal Email,Work Email,Archive Reason,Tags',
    'a@example.com,,,',
    'b@example.com,b@work.example,Salary,',
    'c@example.com,,,no rehire',
  )
  const { exitCode, code, message, faults } = (await stopped(content)) as Awaited<ReturnType<typeof stopped>> & {
    faults: readonly { message: string; hint: string }[]
  }
  expect([exitCode, code, message]).toEqual([2, 'SHEET_SAYS_NO', 'the file leaves 3 questions open. Nothing was sent.'])
  expect(faults.map(({ hint }) => /--\w+ "[^"]*"/.exec(hint)?.[0])).toEqual([
    '--map "Personal Email=email"',
    '--skip "Archive Reason=yes"',
    '--skip "Tags=no rehire"',
  ])
})

test('the plan shows what unused columns say, and the addresses that get no e-mail', async () => {
  const { run, at } = createBulk()
  const rows = ['Screen,a,a@example.com,x', 'Screen,b,b@work.example,x', 'Offer,c,,x']
  const head = table(
    'email,quiz_id,Stage,Id,Work e-mail,Same',
    ...rows.map((row, index) => `${'abc'[index]}@example.com,${QUIZ},${row}`),
  )
  writeFileSync(at('list'), head)
  const { stderr } = await run(['bulk', at('list'), '--dry-run'], { terminal: 200, env: { NO_COLOR: '1' } })
  const said = stderr.replaceAll(/ +/g, ' ')
  expect(said).toContain(' not used "Stage": Screen 2, Offer 1\n')
  expect(said).toContain(' ignored "Id", "Work e-mail", "Same"\n')
  expect(said).toContain(' no e-mails to "Work e-mail" (2 addresses, 1 differs)\n')
  expect(said).toContain(' no name in 3 rows: no column is known to have names\n')
})
