import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE, QUIZ } from './bulk.ts'

/**
 * How the runs of a file end.
 *
 * - `sent`: every row is sent, exit code 0.
 * - `rows`: some rows are invalid, exit code 2.
 * - `skipped`: the same with `--skip-invalid`, exit code 3.
 * - `file`: the file or a flag is refused, exit code 2.
 */
export type WildEnd = 'sent' | 'rows' | 'skipped' | 'file'

/** A file as users have them, and its expected result. */
export interface WildFile {
  readonly name: string
  readonly content: string | Uint8Array
  readonly flags: readonly string[]
  readonly end: WildEnd
  /** The addresses that are invited, with their names; an empty name if there is none. */
  readonly sent: Readonly<Record<string, string>>
  /** What the dry run says about it on stderr. */
  readonly says: string
}

/** Writes the files into a folder, each under its name. */
export function writeWildFiles(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const { name, content } of WILD_FILES) writeFileSync(join(folder, name), content)
}

const Q = QUIZ
const ANN = { 'ann@example.com': 'Ann' }
const BOB = { 'bob@example.com': 'Bob' }
const BOTH = { ...ANN, ...BOB }
const as = (name: string) => ({ 'ann@example.com': name })

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`
const HEAD = 'email,name,quiz_id'
const ann = `ann@example.com,Ann,${Q}`
const bob = `bob@example.com,Bob,${Q}`
const PLAIN = lines(HEAD, ann, bob)
const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
const named = (...name: readonly (string | readonly number[])[]) =>
  bytes(`${HEAD}\nann@example.com,`, ...name, `,${Q}\n`)
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

type Case = readonly [content: WildFile['content'], says: string, sent?: WildFile['sent'], flags?: readonly string[]]

const cases = (end: WildEnd, all: Readonly<Record<string, Case>>): readonly WildFile[] =>
  Object.entries(all).map(([name, [content, says, sent = {}, flags = []]]) => ({
    name,
    content,
    end,
    sent,
    says,
    flags: end === 'skipped' ? [...flags, '--skip-invalid'] : flags,
  }))

/* Bob is invited; the row of Ann is left out. */
const without = (all: Readonly<Record<string, readonly [row: string, says: string, header?: string]>>) =>
  cases(
    'skipped',
    Object.fromEntries(
      Object.entries(all).map(([name, [row, says, header = HEAD]]) => [name, [lines(header, row, bob), says, BOB]]),
    ),
  )

const TABLES = [
  ...cases('sent', {
    'table.csv': [PLAIN, '2 rows, csv in UTF-8', BOTH],
    'table-crlf.csv': [PLAIN.replaceAll('\n', '\r\n'), 'to invite 2', BOTH],
    'table-pipes.csv': [PLAIN.replaceAll(',', '|'), '2 rows, csv in UTF-8', BOTH],
    'table-commas-in-a-heading.csv': [
      lines('quiz_id;email;name;notes (first, second, third, or none)', `${Q};ann@example.com;Ann;`),
      'csv with ;',
      ANN,
    ],
    'table-pipes-in-a-heading.csv': [lines(`${HEAD},a|b|c|d|e`, `${ann},`), 'to invite 1', ANN],
    'table-copied-addresses.csv': [
      lines(HEAD, `mailto:ann@example.com,Ann,${Q}`, `"MAILTO:bob@example.com, ",Bob,${Q}`),
      'to invite 2',
      BOTH,
    ],
    'table-whose-name.csv': [
      lines('Candidate: E-mail,Your full name,Applicant quiz id', ann),
      '"Your full name" is name',
      ANN,
    ],
    'table-japanese.csv': [lines('メールアドレス,氏名,quiz_id', ann), '"氏名" is name', ANN],
    'table-nameless.csv': [
      lines('email,Kandidat/in Name,quiz_id', ann),
      'no name in 1 row; "Kandidat/in Name" may have it: --map "Kandidat/in Name=name"',
      as(''),
    ],
    'table-yes-and-no.csv': [
      lines(`${HEAD},Vetted,Notes`, `${ann},ja,no`, `${bob},FALSCH,text`, `${bob},FALSCH,`),
      'not used "Vetted": ja 1, FALSCH 2',
      BOTH,
    ],
    'table-old-mac.csv': [PLAIN.replaceAll('\n', '\r'), 'to invite 2', BOTH],
    'table-mixed-line-ends.csv': [`${HEAD}\r\n${ann}\r${bob}\n`, 'to invite 2', BOTH],
    'table-no-line-end.csv': [PLAIN.trimEnd(), 'to invite 2', BOTH],
    'table-tabs.tsv': [PLAIN.replaceAll(',', '\t'), 'tsv in UTF-8', BOTH],
    'table-sep-line.csv': [`sep=;\r\n${PLAIN.replaceAll(',', ';')}`, 'csv with ;', BOTH],
    'table-all-quoted.csv': [PLAIN.replaceAll(/[^,\n]+/g, '"$&"'), 'to invite 2', BOTH],
    'table-blanks.csv': [PLAIN.replaceAll(',', ' , '), 'to invite 2', BOTH],
    'table-blank-lines.csv': [`\n\n${HEAD}\n\n${ann}\n,,\n\n${bob}\n  ,,\n`, '2 rows', BOTH],
    'table-header-only.csv': [lines(HEAD), 'the file has no rows'],
    'quote-comma.csv': [lines(`${HEAD},city`, `${ann},"Any, town"`), 'ignored "city"', ANN],
    'quote-empty.csv': [lines(HEAD, `ann@example.com,"",${Q}`), 'to invite 1', as('')],
    'quote-doubled.csv': [lines(HEAD, `ann@example.com,"Ann ""A"" B",${Q}`), 'to invite 1', as('Ann "A" B')],
    'quote-json.csv': [lines(`${HEAD},data`, `${ann},"{""at"": [102.0, 0.5]}"`), 'ignored "data"', ANN],
    'quote-lines.csv': [lines(`${HEAD},note`, `${ann},"ha \n""ha"" \nha"`, `${bob},x`), 'to invite 2', BOTH],
    'quote-name-lines.csv': [lines(HEAD, `ann@example.com,"Ann \n B",${Q}`), 'to invite 1', as('Ann B')],
  }),
  ...cases('file', {
    'table-empty.csv': ['', 'the file is empty'],
    'table-blank.csv': ['\n \n\n', 'the file is empty'],
    'quote-swallows-rows.csv': [
      lines(HEAD, `ann@example.com,"Ann,${Q}`, bob, `cy@example.com,Cy",${Q}`),
      'the value in quotes from line 2 to line 4 contains what looks like rows',
      {},
      ['--skip-invalid'],
    ],
    'quote-swallows-header.csv': [lines('email,"name,quiz_id', 'ann@example.com,Ann",q'), 'from line 1 to line 2'],
    'quote-long.csv': [lines(`${HEAD},note`, `${ann},"x\n${'y'.repeat(1000)}"`), 'is longer than 1,000 characters'],
    'quote-never-closed.csv': [lines(HEAD, ann, `bob@example.com,"Bob,${Q}`), 'opens a quote that is never closed'],
    'quote-in-middle.csv': [lines(HEAD, `ann@example.com,5" Ann,${Q}`, bob), 'line 2 has a stray quote'],
    'quote-text-behind.csv': [lines(HEAD, `ann@example.com,"Ann"x,${Q}`, bob), 'line 2 has a stray quote'],
    'quote-whole-lines.csv': [
      lines(`"${HEAD}"`, `"${ann}"`, `"${bob}"`),
      'each line is quoted as a whole: "a,b" instead of a,b.',
    ],
  }),
]

const surname = (header: string) => lines(header, `Ann;B;ann@example.com;${Q};r-1`)

const HEADINGS = [
  ...cases('sent', {
    'heading-german.csv': [surname('Vorname;Nachname;E-Mail-Adresse;Quiz-ID;Referenz'), 'csv with ;', as('Ann B')],
    'heading-primary.csv': [surname('First;Last;Primary Email;Quiz;Reference'), 'to invite 1', as('Ann B')],
    'heading-german-name.csv': [surname('Vorname;Name;E-Mail;Quiz;Referenz'), '"Name" is last_name', as('Ann B')],
    'heading-french.csv': [surname('Prénom;Nom;Courriel;Quiz;Référence'), '"Nom" is last_name', as('Ann B')],
    'heading-french-nfd.csv': [
      surname('Prénom;Nom;Adresse électronique;Quiz;Référence externe'.normalize('NFD')),
      'is external_reference',
      as('Ann B'),
    ],
    'heading-spanish.csv': [
      surname('Nombre;Apellidos;Correo electrónico;ID del cuestionario;Referencia'),
      '"ID del cuestionario" is quiz_id',
      as('Ann B'),
      ['--map', 'ID del cuestionario=quiz_id'],
    ],
    'heading-italian.csv': [surname('Nome;Cognome;Indirizzo e-mail;Quiz;Riferimento'), 'to invite 1', as('Ann B')],
    'heading-portuguese.csv': [surname('Nome;Apelido;Endereço de e-mail;Quiz;Ref'), 'to invite 1', as('Ann B')],
    'heading-dutch.csv': [surname('Voornaam;Naam;E-mailadres;Quiz;Referentie'), '"Naam" is last_name', as('Ann B')],
    'heading-english.csv': [surname('First Name;Surname;Candidate Email;Test ID;Ref'), 'to invite 1', as('Ann B')],
    'heading-whole-name.csv': [lines('email;Nom et prénom;Quiz', `ann@example.com;Ann;${Q}`), 'is name', ANN],
    'heading-nom-alone.csv': [lines('email;Nom;Quiz', `ann@example.com;Ann;${Q}`), '"Nom" is last_name', ANN],
    'heading-required-star.csv': [lines('E-mail *;Name:;Quiz ID', `ann@example.com;Ann;${Q}`), 'is email', ANN],
    'heading-zero-width.csv': [lines(`\u200bemail,name,quiz_id`, ann), 'to invite 1', ANN],
    'heading-package.csv': [lines('email,name,Paket', `ann@example.com,Ann,${PACKAGE}`), '"Paket" is package_id', ANN],
    'heading-unknown.csv': [lines(`${HEAD},phone`, `${ann},1`), 'ignored "phone"', ANN],
    'heading-mapped.csv': [
      lines('Kontakt,Wer,quiz_id,email', `${ann},old@example.com`),
      '"Kontakt" is email, "Wer" is name, quiz_id ignored "email"',
      ANN,
      ['--map', 'kontakt=email', '--map', 'Wer=name'],
    ],
    'heading-near-ignored.csv': [
      lines(`${HEAD},pakage`, `${ann},x`),
      'ignored "pakage"',
      ANN,
      ['--map', 'pakage=ignore'],
    ],
    'heading-title-line.csv': [lines('Candidates of spring,,', HEAD, ann), 'headings in row 2', ANN],
    'heading-row-given.csv': [lines('Spring 2030', '', HEAD, ann), '1 row, csv', ANN, ['--header-row', '3']],
  }),
  ...cases('file', {
    'heading-near-quiz.csv': [
      lines('email,name,quiz_di', ann),
      'quiz_di" (did you mean quiz_id?)',
      {},
      ['--quiz-id', Q],
    ],
    'heading-near-package.csv': [lines(`${HEAD},packge`, `${ann},`), '(did you mean package_id?)'],
    'heading-near-callback.csv': [lines(`${HEAD},calback_url`, `${ann},`), '(did you mean callback_url?)'],
    'heading-two-addresses.csv': [
      lines('Personal Email,Work Email,name,quiz_id', `a@example.com,b@example.com,A,${Q}`),
      'several columns may be the e-mail address: "Personal Email", "Work Email"',
    ],
    'heading-email-twice.csv': [lines('email,Email,quiz_id', `a@b.de,c@d.de,${Q}`), 'several columns mean email'],
    'heading-none.csv': [lines(ann, bob), 'seems to be a candidate already'],
    'heading-other.csv': ['a,b,c\n1,2,3\n', 'no column is the e-mail address; found: "a", "b", "c"'],
    'heading-no-quiz.csv': [lines('email,name', 'ann@example.com,Ann'), 'no column says what to invite to'],
    'heading-map-missing.csv': [PLAIN, '--map: the file has no column "Kontakt"', {}, ['--map', 'Kontakt=email']],
    'heading-201.csv': [lines(`${HEAD}${',x'.repeat(198)}`, ann), 'more than 200 columns'],
    'heading-html.xls': ['<html><body><table><tr><td>email</td></tr></table>', 'the file is HTML or XML, as some'],
  }),
]

const ENCODINGS = [
  ...cases('sent', {
    'encoding-mark.csv': [`\uFEFF${PLAIN}`, 'csv in UTF-8', BOTH],
    'encoding-utf16le.tsv': [utf16(`\uFEFF${PLAIN.replaceAll(',', '\t')}`), 'tsv in UTF-16LE', BOTH],
    'encoding-utf16be.csv': [utf16(`\uFEFF${PLAIN}`).swap16(), 'csv in UTF-16BE', BOTH],
    'encoding-utf16-no-mark-given.csv': [utf16(PLAIN), 'csv in UTF-16LE', BOTH, ['--encoding', 'utf-16le']],
    'encoding-1252.csv': [named('Zo', [0xeb]), 'csv in windows-1252', as('Zoë'), ['--encoding', 'latin1']],
    'encoding-1252-euro.csv': [named([0x8a], 'imon'), 'csv in', as('Šimon'), ['--encoding', 'cp1252']],
    'encoding-1250.csv': [named([0xa3, 0xf3], 'd'), 'in windows-1250', as('Łód'), ['--encoding', 'windows-1250']],
    'encoding-1251.csv': [named([0xc0, 0xed, 0xed, 0xe0]), 'csv in', as('Анна'), ['--encoding', 'Windows-1251']],
    'encoding-mac.csv': [named('Zo', [0x91]), 'csv in macintosh', as('Zoë'), ['--encoding', 'macintosh']],
    'encoding-shift-jis.csv': [named([0x93, 0x63, 0x92, 0x86]), 'in shift_jis', as('田中'), ['--encoding', 'sjis']],
  }),
  ...cases('file', {
    'encoding-unsaid.csv': [
      named('Zo', [0xeb]),
      'line 2 of the file is not valid UTF-8. Nothing was sent. hint: Save it as UTF-8: in Excel, "CSV UTF-8". Or give its encoding: --encoding windows-1252',
    ],
    'encoding-utf16-no-mark.csv': [utf16(PLAIN), 'UTF-16LE without a byte order mark'],
    'encoding-utf16be-no-mark.csv': [utf16(PLAIN).swap16(), 'UTF-16BE without a byte order mark'],
    'encoding-nul.csv': [named('A', [0], 'n'), 'line 2 of the file has a NUL byte'],
    'encoding-mixed.csv': [
      bytes(`${HEAD}\nbob@example.com,Zoë,${Q}\nann@example.com,Zo`, [0xeb], `,${Q}\n`),
      'line 3 of the file is not valid UTF-8, but lines before it have characters in UTF-8',
    ],
    'encoding-wrong-flag.csv': [named('Zoë'), 'is text in UTF-8', {}, ['--encoding', 'windows-1252']],
    'encoding-broken.csv': [named([0x81]), 'the file is not valid shift_jis', {}, ['--encoding', 'shift_jis']],
    'encoding-mark-and-flag.csv': [`\uFEFF${PLAIN}`, 'byte order mark of UTF-8', {}, ['--encoding', 'windows-1252']],
    'encoding-unknown-flag.csv': [PLAIN, 'label of the Encoding standard', {}, ['--encoding', 'utf-7']],
    'binary-zip.xlsx': [bytes('PK', [3, 4], 'rest'), 'a zip archive, but not an Excel workbook (.xlsx)'],
    'binary-old.xls': [
      bytes([0xd0, 0xcf, 0x11, 0xe0], 'rest'),
      'an Excel workbook of an old version (.xls), or one with',
    ],
    'binary-gzip.csv': [bytes([0x1f, 0x8b, 8, 0], 'rest'), 'compressed with gzip'],
    'binary-pdf.csv': ['%PDF-1.7\n', 'a PDF'],
  }),
]

const object = (fields: string) => `{${fields},"quiz_id":"${Q}"}`
const annObject = object('"email":"ann@example.com","name":"Ann"')
const bobObject = object('"email":"bob@example.com","name":"Bob"')
const withField = (field: string) => [lines(object(`"email":"ann@example.com",${field}`), bobObject)] as const

const JSON_FILES = [
  ...cases('sent', {
    'json-lines.ndjson': [lines(annObject, bobObject), 'ndjson in UTF-8', BOTH],
    'json-list.json': [`\n [${annObject},${bobObject}]\r\n`, 'json in UTF-8', BOTH],
    'json-candidates.json': [`\uFEFF{"total":2,"candidates":[${annObject},\n${bobObject}]}`, 'json in UTF-8', BOTH],
    'json-nested.json': [`[{"candidate":{"email":"ann@example.com","name":"Ann"},"quizId":"${Q}"}]`, 'invite 1', ANN],
    'json-null-name.ndjson': [lines(object('"email":"ann@example.com","name":null')), 'to invite 1', as('')],
    'json-number-unread.ndjson': [lines(`{"id":12345678901234567890,${annObject.slice(1)}`), 'ignored "id"', ANN],
    'json-no-rows.json': ['[]', 'the file has no rows', {}, ['--quiz-id', Q]],
  }),
  ...cases('skipped', {
    'json-number-reference.ndjson': [
      ...withField('"external_reference":9007199254740993'),
      'external_reference must be a text in quotes, not a number',
      BOB,
    ],
    'json-infinite-name.ndjson': [...withField('"name":1e400'), 'name must be a text in quotes, not a number', BOB],
    'json-list-name.ndjson': [...withField('"name":["Ann"]'), 'name must be a text', BOB],
    'json-half-character.ndjson': [...withField('"name":"A\\ud800n"'), 'half of a character, U+D800', BOB],
    'json-no-object.json': [`["ann@example.com",${bobObject}]`, 'row must be an object', BOB],
  }),
  ...cases('file', {
    'json-outer-field.json': [`{"quiz_id":"q","candidates":[{"email":"a@b.de"}]}`, '"quiz_id" beside its list'],
    'json-near.ndjson': [
      lines(bobObject, `{"email":"ann@example.com","quizDi":"${Q}"}`),
      'row 2 has "quizDi" (did you mean quiz_id?)',
      {},
      ['--quiz-id', Q],
    ],
    'json-broken-line.ndjson': [lines(annObject, '{"email":'), 'line 2 is not a JSON object'],
    'json-cut-off.json': [`[${annObject},`, 'the JSON list ends too early'],
    'json-mistake.json': [`[${annObject},\n{"email" "b"}]`, 'line 2 of the JSON list has a mistake'],
    'json-error-answer.json': ['{\n"error": "unauthorized"\n}\n', 'line 1 is not a JSON object'],
  }),
]

const ROWS = [
  ...without({
    'row-commented-out.csv': [`#${ann}`, 'row begins with #, so it seems to be commented out'],
    'row-apostrophe.csv': [`'${ann}`, 'email begins with an apostrophe, which Excel writes before a text'],
    'row-tab.csv': [`ann@example.com,Ann\tB,${Q}`, 'name has a control character, U+0009 at position 4'],
    'row-bidi.csv': [`ann@example.com,Ann\u202egpj,${Q}`, 'a control of the writing direction, U+202E at position 4'],
    'row-invisible.csv': [`ann@example.com,Ann\u200b,${Q}`, 'name has an invisible character, U+200B at position 4'],
    'row-lost-character.csv': [`ann@example.com,Zo\ufffd,${Q}`, 'where a character was lost'],
    'row-long-name.csv': [`ann@example.com,${'x'.repeat(201)},${Q}`, 'name is longer than 200 characters'],
    'row-very-long-name.csv': [`ann@example.com,${'x'.repeat(10_000)},${Q}`, 'name is longer than 8192 characters'],
    'row-sheet-error.csv': [`ann@example.com,#NV,${Q}`, 'name is an error of the sheet, such as #N/A'],
    'row-sheet-error-spanish.csv': [`ann@example.com,#¿NOMBRE?,${Q}`, 'name is an error of the sheet'],
    'row-no-address.csv': [`,Ann,${Q}`, 'row 2: email is missing'],
    'row-two-addresses.csv': [`ann@example.com / x@example.com,Ann,${Q}`, 'email must be a valid e-mail address'],
    'row-too-many-values.csv': [`ann@example.com,Byron, Ann,${Q}`, 'has more values than there are columns'],
    'row-reference-lines.csv': [`${ann},"a\nb"`, 'external_reference has a control character', `${HEAD},reference`],
  }),
  ...cases('skipped', {
    'row-commented-out-name.csv': [
      lines('name,email,quiz_id', `#Ann,ann@example.com,${Q}`, `Bob,bob@example.com,${Q}`),
      'row begins with #',
      BOB,
    ],
  }),
  ...cases('file', {
    'row-section.csv': [
      lines(HEAD, ann, 'Rejected,,', bob),
      'row 3 has only "Rejected": it may be about the rows below',
    ],
  }),
  ...cases('rows', {
    'row-short.csv': [lines(HEAD, 'ann@example.com,Ann', bob), 'quiz_id or package_id is missing'],
    'row-send-maybe.csv': [lines(`${HEAD},send_email`, `${ann},maybe`), 'send_email must be yes or no'],
    'row-both-targets.csv': [lines(`${HEAD},package_id`, `${ann},${PACKAGE}`), 'cannot be used together'],
  }),
  ...cases('sent', {
    'row-total-line.csv': [lines(HEAD, ann, bob, 'Total: 2,,', '"(c) 2030 Staffing",,'), 'not candidates 2', BOTH],
    'row-mail-form.csv': [lines('email,quiz_id', `"""B, Ann"" <ann@example.com>",${Q}`), 'to invite 1', as('B, Ann')],
    'row-formula-name.csv': [lines(HEAD, `ann@example.com,'=Ann,${Q}`), 'to invite 1', as('=Ann')],
    'row-dutch-name.csv': [lines(HEAD, `ann@example.com,'t Hooft,${Q}`), 'to invite 1', as("'t Hooft")],
    'row-reference-number.csv': [lines(`reference,${HEAD}`, `#12,${ann}`), 'to invite 1', ANN],
    'row-duplicate.csv': [lines(HEAD, ann, `ANN@example.com,Ann B,${Q}`), 'duplicates 1', ANN],
    'row-yes-german.csv': [lines(`${HEAD},send_email`, `${ann},ja`, `${bob},nein`), 'for 1 row; none for 1', BOTH],
    'row-yes-others.csv': [lines(`${HEAD},send_email`, `${ann},sí`, `${bob},não`), 'for 1 row; none for 1', BOTH],
  }),
]

export const WILD_FILES: readonly WildFile[] = [...TABLES, ...HEADINGS, ...ENCODINGS, ...JSON_FILES, ...ROWS]
