import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createBulk, PACKAGE, QUIZ, table } from './bulk.ts'

const failure = (stderr: string) => (JSON.parse(stderr) as { error: { message: string; hint: string } }).error

test.each([
  ['quiz_di', 'email,quiz_di', '"quiz_di" (did you mean quiz_id?)'],
  ['quizz', 'email,quizz', '"quizz" (did you mean quiz_id?)'],
  ['pakage', 'email,quiz_id,pakage', '"pakage" (did you mean package_id?)'],
  ['callback_ulr', 'email,quiz_id,callback_ulr', '"callback_ulr" (did you mean callback_url?)'],
])('a heading %s stops the file, unless a flag says what it is', async (heading, header, message) => {
  const content = table(header, `a@example.com,${QUIZ},`)
  for (const flags of [['--dry-run'], ['--yes', '--skip-invalid']]) {
    const { mock, bulk } = createBulk()
    const { code, stderr } = await bulk(content, ['--quiz-id', QUIZ, ...flags])
    expect([code, failure(stderr).message, mock.invites]).toEqual([2, expect.stringContaining(message), []])
    expect(failure(stderr).hint).toContain('--map')
  }
  const ignored = await createBulk().bulk(content, ['--quiz-id', QUIZ, '--yes', '--ignore-column', heading])
  expect(ignored.code).toBe(0)
})

test('the same holds for a field of JSON, in any row', async () => {
  const content = `{"email":"a@example.com","quizId":"${QUIZ}"}\n{"email":"b@example.com","quizDi":"${QUIZ}"}\n`
  const { mock, bulk } = createBulk()
  const { code, stderr } = await bulk(content, ['--quiz-id', QUIZ, '--yes'])
  expect([code, failure(stderr).message, mock.invites]).toEqual([2, expect.stringContaining('row 2'), []])
  expect((await bulk(content, ['--yes', '--map', 'quizDi=quiz_id'])).counts).toMatchObject({ created: 2 })
})

test('--map says what headings mean, before their names do, and the plan shows it', async () => {
  const { mock, bulk, run, at } = createBulk()
  const content = table('Kontakt;Email;Wer;Ref=Nr;Test', `a@example.com;old@example.com;Ada B;r-1;${QUIZ}`)
  const flags = [
    '--map',
    'kontakt=email',
    '--map',
    'Wer=name',
    '--map',
    'Ref=Nr=external_reference',
    '--map',
    'Test=quiz_id',
  ]
  expect((await bulk(content, ['--yes', ...flags])).code).toBe(0)
  expect(mock.invites.map(({ candidate, externalReference }) => [candidate, externalReference])).toEqual([
    [{ email: 'a@example.com', name: 'Ada B' }, 'r-1'],
  ])
  const { stderr } = await run(['bulk', at('input'), '--dry-run', ...flags])
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    '"Kontakt" is email, "Wer" is name, "Ref=Nr" is external_reference, "Test" is quiz_id ignored "Email"',
  )
})

test.each([
  [['--map', 'E-Mail'], 'as in'],
  [['--map', 'E-Mail=emial'], 'Did you mean email?'],
  [['--map', 'E-Mail=email', '--map', 'e-mail=name'], 'twice'],
])('--map %j is refused', async (flags, message) => {
  const { code, stderr } = await createBulk().bulk('email\n', ['--dry-run', ...flags])
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test.each([
  ['a table', `email,quiz_id\na@example.com,${QUIZ}\n`],
  ['JSON', `{"email":"a@example.com","quizId":"${QUIZ}"}\n`],
])('--map with a heading that %s does not have is refused', async (_what, content) => {
  const { mock, bulk } = createBulk()
  const { code, stderr } = await bulk(content, ['--yes', '--map', 'Wer=name'])
  expect([code, stderr, mock.invites]).toEqual([2, expect.stringContaining('\\"Wer\\"'), []])
})

test.each([
  ['Personal Email,Work Email,quiz_id', ['"Personal Email"', '"Work Email"']],
  ['E-mail (private),E-mail (work),quiz_id', ['"E-mail (private)"', '"E-mail (work)"']],
  ['E-Mail privat,E-Mail dienstlich,quiz_id', ['"E-Mail privat"', '"E-Mail dienstlich"']],
])('several columns that may be the address are named: %s', async (header, names) => {
  const content = table(header, `a@example.com,b@example.com,${QUIZ}`)
  const { mock, bulk } = createBulk()
  const { code, stderr } = await bulk(content, ['--yes'])
  expect([code, mock.invites]).toEqual([2, []])
  for (const name of names) expect(failure(stderr).message).toContain(name)
  expect(failure(stderr).hint).toContain(`--map "${names[0]?.slice(1, -1)}=email"`)
  const chosen = await bulk(content, ['--yes', '--map', `${names[1]?.slice(1, -1)}=email`])
  expect([chosen.code, mock.invites.map(({ candidate }) => candidate.email)]).toEqual([0, ['b@example.com']])
})

test('of two columns that mean the same, --ignore-column or --map chooses one', async () => {
  const content = table('email,E-Mail Address,quiz_id', `a@example.com,b@example.com,${QUIZ}`)
  expect((await createBulk().bulk(content, ['--yes'])).code).toBe(2)
  for (const flag of [
    ['--ignore-column', 'e-mail address'],
    ['--map', 'email=email'],
  ]) {
    const { rows } = await createBulk().plan(content, flag)
    expect(rows.map(({ email }) => email)).toEqual(['a@example.com'])
  }
})

test.each([
  ['German', 'E-Mail-Adresse;Vorname;Nachname;Referenz;Quiz-ID'],
  ['German, with the surname as Name', 'E-Mail;Vorname;Name;Referenz;Quiz'],
  ['French', 'Adresse e-mail;Prénom;Nom;Référence;Quiz'],
  ['French, Canada', 'Courriel;Prénom;Nom de famille;Référence externe;Quiz'],
  ['Spanish', 'Correo electrónico;Nombre;Apellidos;Referencia;Quiz'],
  ['Italian', 'Indirizzo e-mail;Nome;Cognome;Riferimento;Quiz'],
  ['Portuguese', 'Endereço de e-mail;Nome;Apelido;Referência;Quiz'],
  ['Portuguese, Brazil', 'E-mail;Nome;Sobrenome;Referência;Quiz'],
  ['Dutch', 'E-mailadres;Voornaam;Achternaam;Referentie;Quiz'],
])('the headings of a sheet are known: %s', async (_what, header) => {
  const { mock, bulk } = createBulk()
  const content = table(header, `ada@example.com;Ada;Byron;r-1;${QUIZ}`)
  for (const text of [content, content.normalize('NFD')]) {
    const { code } = await bulk(text, ['--yes', '--if-unknown', 'refuse'])
    expect(code).toBe(0)
  }
  expect(mock.invites.map(({ candidate, externalReference }) => ({ ...candidate, externalReference }))).toEqual([
    { email: 'ada@example.com', name: 'Ada Byron', externalReference: 'r-1' },
  ])
})

test.each([
  'Vollständiger Name',
  'Nom complet',
  'Nombre completo',
  'Nome e cognome',
  'Nome completo',
  'Naam',
  'Nom',
  'Nombre',
])('a heading for the whole name is known: %s', async (heading) => {
  const { mock, bulk } = createBulk()
  await bulk(table(`email,${heading},quiz_id`, `ada@example.com,Ada Byron,${QUIZ}`), ['--yes'])
  expect(mock.invites[0]?.candidate.name).toBe('Ada Byron')
})

test.each([
  ['ja', true],
  ['nein', false],
  ['oui', true],
  ['non', false],
  ['sí', true],
  ['sim', true],
  ['não', false],
  ['nee', false],
])('send_email understands %s', async (word, sent) => {
  const { mock, bulk } = createBulk()
  await bulk(table('email,quiz_id,send_email', `ada@example.com,${QUIZ},${word}`), ['--yes'])
  expect(mock.invites[0]?.emailSent).toBe(sent)
})

test('a package is found by its foreign names too', async () => {
  for (const heading of ['Paket', 'Paquete', 'Pacchetto', 'Pacote', 'Pakket', 'Paquet']) {
    const { rows } = await createBulk().plan(table(`email,${heading}`, `a@example.com,${PACKAGE}`))
    expect(rows[0]?.packageId).toBe(PACKAGE)
  }
})

/** A profile with what headings mean. */
function mappedBulk(map: unknown) {
  const bulk = createBulk()
  mkdirSync(bulk.at('config'))
  writeFileSync(bulk.at('config/config.json'), JSON.stringify({ profile: 'spring', profiles: { spring: { map } } }))
  return bulk
}

test('a file need not have the headings of the profile, and --map and --ignore-column override it', async () => {
  const { plan } = mappedBulk({ Kontakt: 'email', Team: 'name' })
  const usual = await plan(table('email,quiz_id', `ann@example.com,${QUIZ}`))
  expect(usual.rows).toMatchObject([{ status: 'planned', email: 'ann@example.com' }])
  const both = table('Kontakt,Work,Team,quiz_id', `a@example.com,b@example.com,Red,${QUIZ}`)
  const flags = await plan(both, ['--map', 'Work=email', '--ignore-column', 'Team'])
  expect(flags.rows).toMatchObject([{ status: 'planned', email: 'b@example.com' }])
  expect(flags.rows[0]?.name).toBeUndefined()
})

test.each([
  [{ Kontakt: 'e_mail' }, 'the map of profile spring has an unknown field. Its field has to be one of email'],
  [{ Kontakt: 1 }, 'it is not a configuration of this program'],
  [['Kontakt=email'], 'it is not a configuration of this program'],
])('a map that cannot be used is refused: %j', async (map, message) => {
  const { mock, bulk } = mappedBulk(map)
  const { code, stderr } = await bulk(table('Kontakt,quiz_id', `ann@example.com,${QUIZ}`), ['--yes'])
  expect([code, mock.invites]).toEqual([2, []])
  expect(JSON.parse(stderr).error.message).toContain(message)
})
