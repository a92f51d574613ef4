import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE, QUIZ } from './bulk.ts'

/**
 * How the runs of a file end.
 *
 * - `sent`: every row is sent, exit code 0.
 * - `rows`: some rows are not valid: 2, in a dry run 0.
 * - `skipped`: the same with `--skip-invalid`: 3, in a dry run 0.
 * - `file`: the file or a flag is refused as a whole: 2.
 */
export type WildEnd = 'sent' | 'rows' | 'skipped' | 'file'

/** A file as people have them, and what becomes of it. */
export interface WildFile {
  readonly name: string
  readonly content: string | Uint8Array
  readonly flags?: readonly string[]
  readonly end: WildEnd
  /** Who is invited, by which name; an empty one if there is none. */
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
const SKIP = ['--skip-invalid']
const ANN = { 'ann@example.com': 'Ann' }
const BOTH = { 'ann@example.com': 'Ann', 'bob@example.com': 'Bob' }
const BOB = { 'bob@example.com': 'Bob' }

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
    flags,
    end,
    sent,
    says,
  }))

/* The kinds of csv-spectrum, with people in them. */
const SPECTRUM = cases('sent', {
  'spectrum-simple.csv': [PLAIN, '2 rows, csv in UTF-8', BOTH],
  'spectrum-simple-crlf.csv': [PLAIN.replaceAll('\n', '\r\n'), 'to be sent 2', BOTH],
  'spectrum-comma-in-quotes.csv': [
    lines('email,name,city,quiz_id', `ann@example.com,"Byron, Ann","Any, town",${Q}`),
    'ignored "city"',
    { 'ann@example.com': 'Byron, Ann' },
  ],
  'spectrum-empty.csv': [lines(HEAD, `ann@example.com,"",${Q}`), 'to be sent 1', { 'ann@example.com': '' }],
  'spectrum-empty-crlf.csv': [`${HEAD}\r\nann@example.com,"",${Q}\r\n`, 'to be sent 1', { 'ann@example.com': '' }],
  'spectrum-escaped-quotes.csv': [
    lines(HEAD, `ann@example.com,"Ann ""the first"" B",${Q}`),
    'to be sent 1',
    { 'ann@example.com': 'Ann "the first" B' },
  ],
  'spectrum-json.csv': [
    lines(`${HEAD},data`, `${ann},"{""type"": ""Point"", ""at"": [102.0, 0.5]}"`),
    'ignored "data"',
    ANN,
  ],
  'spectrum-newlines.csv': [lines(`${HEAD},note`, `${ann},"Once upon \na time"`), '1 value spans lines', ANN],
  'spectrum-newlines-crlf.csv': [`${HEAD},note\r\n${ann},"Once upon \r\na time"\r\n`, '1 value spans lines', ANN],
  'spectrum-quotes-and-newlines.csv': [
    lines(`${HEAD},note`, `${ann},"ha \n""ha"" \nha"`, `${bob},x`),
    '1 value spans lines',
    BOTH,
  ],
  'spectrum-utf8.csv': [lines(HEAD, `ann@example.com,ʤ Ann,${Q}`), 'csv in UTF-8', { 'ann@example.com': 'ʤ Ann' }],
  'spectrum-newlines-cr.csv': [PLAIN.replaceAll('\n', '\r'), 'with line ends of old Macs', BOTH],
})

const SPECTRUM_REFUSED = [
  ...cases('file', {
    'spectrum-without-people.csv': ['a,b,c\n1,2,3\n', 'no column is the e-mail address; found: "a", "b", "c"'],
    'spectrum-location.csv': [
      lines(`${HEAD},place`, `${ann},37°36'37.8"N 121°2'17.9"W`, bob),
      'line 2 has a quote in the middle of a value',
    ],
  }),
  ...cases('skipped', {
    'spectrum-location-skipped.csv': [
      lines(`${HEAD},place`, `${ann},37°36'37.8"N 121°2'17.9"W`, `${bob},x`),
      'row 2: row has a quote in the middle of a value',
      BOB,
      SKIP,
    ],
    'spectrum-null.csv': [
      bytes(`${HEAD},note\n${bob},x\n`, `ann@example.com,An\u0001n,${Q},\n`),
      'name has a control character, U+0001 at position 3',
      BOB,
      SKIP,
    ],
  }),
]

const QUOTES = [
  ...cases('file', {
    'quote-swallows-rows.csv': [
      lines(HEAD, `ann@example.com,"Ann,${Q}`, bob, `cy@example.com,Cy",${Q}`),
      'the value in quotes from line 2 to line 4 contains what looks like rows',
    ],
    'quote-swallows-rows-skip.csv': [
      lines(HEAD, `ann@example.com,"Ann,${Q}`, bob, `cy@example.com,Cy",${Q}`),
      'from line 2 to line 4',
      {},
      SKIP,
    ],
    'quote-swallows-header.csv': [lines('email,"name,quiz_id', 'ann@example.com,Ann",q'), 'from line 1 to line 2'],
    'quote-long.csv': [lines(`${HEAD},note`, `${ann},"x\n${'y'.repeat(1000)}"`), 'is longer than 1,000 characters'],
    'quote-never-closed.csv': [
      lines(HEAD, ann, `bob@example.com,"Bob,${Q}`),
      'line 3 opens a quote that is never closed',
    ],
    'quote-in-middle.csv': [lines(HEAD, `ann@example.com,5" Ann,${Q}`, bob), 'line 2 has a quote in the middle'],
    'quote-not-certain.csv': [
      lines(HEAD, `ann@example.com,"Ann "x" y`, `of two lines",${Q}`, bob),
      'line 2 has a quote in the middle',
      {},
      SKIP,
    ],
  }),
  ...cases('skipped', {
    'quote-never-closed-skip.csv': [
      lines(HEAD, `ann@example.com,"Ann,${Q}`, bob),
      'row 2: row opens a quote that is not closed',
      BOB,
      SKIP,
    ],
    'quote-closed-by-next-skip.csv': [
      lines(HEAD, `ann@example.com,"Ann,${Q}`, `bob@example.com,"Bob",${Q}`),
      'row 2: row opens a quote that is not closed',
      BOB,
      SKIP,
    ],
    'quote-in-middle-skip.csv': [lines(HEAD, `ann@example.com,5" Ann,${Q}`, bob), 'row 2: row has a quote', BOB, SKIP],
    'quote-two-in-a-row-skip.csv': [
      lines(HEAD, `cy@example.com,5" Cy,${Q}`, `ann@example.com,6" Ann,${Q}`, bob),
      'row 3: row has a quote',
      BOB,
      SKIP,
    ],
    'reference-two-lines-skip.csv': [
      lines(`${HEAD},reference`, `${ann},"a\nb"`, `${bob},b`),
      'external_reference has a control character, U+000A',
      BOB,
      SKIP,
    ],
  }),
]

const HEADINGS = [
  ...cases('sent', {
    'heading-german.csv': [
      lines('E-Mail-Adresse;Vorname;Nachname;Quiz', `ann@example.com;Ann;B;${Q}`),
      'with ;',
      { 'ann@example.com': 'Ann B' },
    ],
    'heading-german-name.csv': [
      lines('Vorname;Name;E-Mail;Quiz', `Ann;B;ann@example.com;${Q}`),
      '"Name" is last_name',
      { 'ann@example.com': 'Ann B' },
    ],
    'heading-french.csv': [
      lines('Prénom;Nom;Courriel;Quiz', `Ann;B;ann@example.com;${Q}`),
      'to be sent 1',
      { 'ann@example.com': 'Ann B' },
    ],
    'heading-spanish.csv': [
      lines('Nombre;Apellidos;Correo electrónico;Quiz', `Ann;B;ann@example.com;${Q}`),
      'to be sent 1',
      { 'ann@example.com': 'Ann B' },
    ],
    'heading-italian.csv': [
      lines('Nome;Cognome;Indirizzo e-mail;Quiz', `Ann;B;ann@example.com;${Q}`),
      'to be sent 1',
      { 'ann@example.com': 'Ann B' },
    ],
    'heading-portuguese.csv': [
      lines('Nome;Sobrenome;Endereço de e-mail;Quiz', `Ann;B;ann@example.com;${Q}`),
      'to be sent 1',
      { 'ann@example.com': 'Ann B' },
    ],
    'heading-dutch.csv': [
      lines('Voornaam;Achternaam;E-mailadres;Quiz', `Ann;B;ann@example.com;${Q}`),
      'to be sent 1',
      { 'ann@example.com': 'Ann B' },
    ],
    'heading-required-star.csv': [lines('E-mail *;Name:;Quiz ID', `ann@example.com;Ann;${Q}`), 'is email', ANN],
    'heading-mapped.csv': [
      lines('Kontakt,Wer,quiz_id', ann),
      '"Kontakt" is email, "Wer" is name',
      ANN,
      ['--map', 'Kontakt=email', '--map', 'Wer=name'],
    ],
    'heading-work-mapped.csv': [
      lines('Personal Email,Work Email,name,quiz_id', `x@example.com,ann@example.com,Ann,${Q}`),
      'ignored "Personal Email"',
      ANN,
      ['--map', 'Work Email=email'],
    ],
    'heading-near-ignored.csv': [
      lines(`${HEAD},pakage`, `${ann},x`),
      'ignored "pakage"',
      ANN,
      ['--ignore-column', 'pakage'],
    ],
    'heading-unknown.csv': [lines(`${HEAD},phone`, `${ann},1`), 'ignored "phone"', ANN],
    'heading-zero-width.csv': [lines(`\u200bemail,name,quiz_id`, ann), 'to be sent 1', ANN],
    'heading-package.csv': [lines('email,name,Paket', `ann@example.com,Ann,${PACKAGE}`), '"Paket" is package_id', ANN],
  }),
  ...cases('file', {
    'heading-near-quiz.csv': [
      lines('email,name,quiz_di', ann),
      '"quiz_di" (did you mean quiz_id?)',
      {},
      ['--quiz-id', Q],
    ],
    'heading-near-quizz.csv': [lines('email,name,quizz', ann), '"quizz" (did you mean quiz_id?)', {}, ['--quiz-id', Q]],
    'heading-near-package.csv': [lines(`${HEAD},packge`, `${ann},`), '(did you mean package_id?)'],
    'heading-near-callback.csv': [lines(`${HEAD},calback_url`, `${ann},`), '(did you mean callback_url?)'],
    'heading-two-addresses.csv': [
      lines('Personal Email,Work Email,name,quiz_id', `a@example.com,b@example.com,A,${Q}`),
      'several columns may be the e-mail address: "Personal Email", "Work Email"',
    ],
    'heading-email-twice.csv': [
      lines('email,Email,quiz_id', `a@example.com,b@example.com,${Q}`),
      'several columns mean email',
    ],
    'heading-none.csv': [lines(ann, bob), 'seems to be a candidate already'],
    'heading-title-line.csv': [lines('Candidates of spring,,', HEAD, ann), 'no column is the e-mail address'],
    'heading-no-quiz.csv': [lines('email,name', 'ann@example.com,Ann'), 'no column says what to invite to'],
    'heading-map-missing.csv': [PLAIN, '--map: the file has no column "Kontakt"', {}, ['--map', 'Kontakt=email']],
    'heading-html.csv': ['<!DOCTYPE html>\n<html><body>Sign in</body></html>\n', 'no column is the e-mail address'],
  }),
]

const ENCODINGS = [
  ...cases('sent', {
    'encoding-mark.csv': [`\uFEFF${PLAIN}`, 'csv in UTF-8', BOTH],
    'encoding-utf16le.tsv': [utf16(`\uFEFF${PLAIN.replaceAll(',', '\t')}`), 'tsv in UTF-16LE', BOTH],
    'encoding-utf16be.csv': [utf16(`\uFEFF${PLAIN}`).swap16(), 'csv in UTF-16BE', BOTH],
    'encoding-1252.csv': [
      named('Zo', [0xeb]),
      'csv in windows-1252',
      { 'ann@example.com': 'Zoë' },
      ['--encoding', 'latin1'],
    ],
    'encoding-1252-euro.csv': [
      named([0x8a], 'imon'),
      'csv in windows-1252',
      { 'ann@example.com': 'Šimon' },
      ['--encoding', 'cp1252'],
    ],
    'encoding-1251.csv': [
      named([0xc0, 0xed, 0xed, 0xe0]),
      'csv in windows-1251',
      { 'ann@example.com': 'Анна' },
      ['--encoding', 'windows-1251'],
    ],
    'encoding-mac.csv': [
      named('Zo', [0x91]),
      'csv in macintosh',
      { 'ann@example.com': 'Zoë' },
      ['--encoding', 'macintosh'],
    ],
    'encoding-shift-jis.csv': [
      named([0x93, 0x63, 0x92, 0x86]),
      'csv in shift_jis',
      { 'ann@example.com': '田中' },
      ['--encoding', 'sjis'],
    ],
    'encoding-utf16-no-mark-given.csv': [utf16(PLAIN), 'csv in UTF-16LE', BOTH, ['--encoding', 'utf-16le']],
    'lines-mixed.csv': [`${HEAD}\r\n${ann}\r${bob}\n`, 'with some line ends of old Macs', BOTH],
  }),
  ...cases('file', {
    'encoding-1252-unsaid.csv': [named('Zo', [0xeb], ' M', [0xfc], 'ller'), 'in windows-1252: “'],
    'encoding-1251-unsaid.csv': [named([0xc0, 0xed, 0xed, 0xe0]), 'in windows-1251: “'],
    'encoding-mac-unsaid.csv': [named('Zo', [0x91]), 'in macintosh: “'],
    'encoding-shift-jis-unsaid.csv': [named([0x93, 0x63, 0x92, 0x86]), 'in shift_jis: “'],
    'encoding-utf16-no-mark.csv': [utf16(PLAIN), 'UTF-16LE without a byte order mark'],
    'encoding-utf16be-no-mark.csv': [utf16(PLAIN).swap16(), 'UTF-16BE without a byte order mark'],
    'encoding-nul.csv': [named('A', [0], 'n'), 'it has a NUL byte'],
    'encoding-mixed.csv': [
      bytes(`${HEAD}\nbob@example.com,Zoë,${Q}\nann@example.com,Zo`, [0xeb], `,${Q}\n`),
      'mixes encodings',
    ],
    'encoding-wrong-flag.csv': [named('Zoë'), 'is text in UTF-8', {}, ['--encoding', 'windows-1252']],
    'encoding-mark-and-flag.csv': [`\uFEFF${PLAIN}`, 'byte order mark of UTF-8', {}, ['--encoding', 'windows-1252']],
    'encoding-unknown-flag.csv': [PLAIN, 'label of the Encoding standard', {}, ['--encoding', 'utf-7']],
    'binary-zip.xlsx': [bytes('PK', [3, 4], 'rest'), 'an Excel workbook or another zip archive'],
    'binary-old.xls': [bytes([0xd0, 0xcf, 0x11, 0xe0], 'rest'), 'an Excel workbook of an old version'],
    'binary-gzip.csv': [bytes([0x1f, 0x8b, 8, 0], 'rest'), 'compressed with gzip'],
    'binary-pdf.csv': ['%PDF-1.7\n', 'a PDF'],
    'empty.csv': ['', 'the file is empty'],
    'blank.csv': ['\n \n\n', 'the file is empty'],
  }),
]

const object = (fields: string) => `{${fields},"quiz_id":"${Q}"}`
const annObject = object('"email":"ann@example.com","name":"Ann"')
const bobObject = object('"email":"bob@example.com","name":"Bob"')

const JSON_FILES = [
  ...cases('sent', {
    'json-lines.ndjson': [lines(annObject, bobObject), 'ndjson in UTF-8', BOTH],
    'json-array.json': [`[${annObject},${bobObject}]`, 'json in UTF-8', BOTH],
    'json-candidates.json': [`{"total":2,"candidates":[${annObject},\n${bobObject}]}`, 'json in UTF-8', BOTH],
    'json-nested.json': [
      `[{"candidate":{"email":"ann@example.com","name":"Ann"},"quizId":"${Q}"}]`,
      'to be sent 1',
      ANN,
    ],
    'json-null-name.ndjson': [
      lines(object('"email":"ann@example.com","name":null')),
      'to be sent 1',
      { 'ann@example.com': '' },
    ],
    'json-big-number-unread.ndjson': [
      lines(`{"id":12345678901234567890,"score":1e400,${annObject.slice(1)}`),
      'ignored "id", "score"',
      ANN,
    ],
  }),
  ...cases('skipped', {
    'json-number-reference.ndjson': [
      lines(object('"email":"ann@example.com","external_reference":9007199254740993'), bobObject),
      'external_reference must be a text in quotes, not a number',
      BOB,
      SKIP,
    ],
    'json-infinite-name.json': [
      `[${object('"email":"ann@example.com","name":1e400')},${bobObject}]`,
      'name must be a text in quotes, not a number',
      BOB,
      SKIP,
    ],
    'json-list-name.ndjson': [
      lines(object('"email":"ann@example.com","name":["Ann"]'), bobObject),
      'name must be a text',
      BOB,
      SKIP,
    ],
    'json-half-character.ndjson': [
      lines(object('"email":"ann@example.com","name":"A\\ud800n"'), bobObject),
      'name has half of a character, U+D800',
      BOB,
      SKIP,
    ],
    'json-no-object.json': [`["ann@example.com",${bobObject}]`, 'row must be an object', BOB, SKIP],
  }),
  ...cases('file', {
    'json-key-twice.ndjson': [
      lines(bobObject, `{"email":"a@example.com",${annObject.slice(1)}`),
      'line 2 has the key "email" twice',
    ],
    'json-key-twice.json': [
      `[${bobObject},{"email":"a@example.com",${annObject.slice(1)}]`,
      'object 2 has the key "email" twice',
    ],
    'json-outer-field.json': [
      `{"quiz_id":"q","candidates":[{"email":"ann@example.com"}]}`,
      '"quiz_id" beside its list',
    ],
    'json-near.ndjson': [
      lines(bobObject, `{"email":"ann@example.com","quizDi":"${Q}"}`),
      'row 2 has "quizDi" (did you mean quiz_id?)',
      {},
      ['--quiz-id', Q],
    ],
    'json-broken-line.ndjson': [lines(annObject, '{"email":'), 'line 2 is not a JSON object'],
    'json-cut-off.json': [`[${annObject},`, 'ends in the middle of its array'],
    'json-error-answer.json': ['{\n"error": "unauthorized"\n}\n', 'line 1 is not a JSON object'],
  }),
]

const ROWS = [
  ...cases('skipped', {
    'row-commented-out.csv': [
      lines(HEAD, `#${ann}`, bob),
      'email begins with #, so the row seems to be commented out',
      BOB,
      SKIP,
    ],
    'row-commented-out-name.csv': [
      lines('name,email,quiz_id', `#Ann,ann@example.com,${Q}`, `Bob,bob@example.com,${Q}`),
      'name begins with #',
      BOB,
      SKIP,
    ],
    'row-apostrophe.csv': [
      lines(HEAD, `'${ann}`, bob),
      "email begins with ', which Excel writes before a text",
      BOB,
      SKIP,
    ],
    'row-bidi.csv': [lines(HEAD, `ann@example.com,Ann\u202egpj,${Q}`, bob), 'U+202E at position 4', BOB, SKIP],
    'row-long-name.csv': [
      lines(HEAD, `ann@example.com,${'x'.repeat(201)},${Q}`, bob),
      'name is longer than 200 characters',
      BOB,
      SKIP,
    ],
    'row-lost-character.csv': [
      lines(HEAD, `ann@example.com,Zo\ufffd,${Q}`, bob),
      'where a character was lost',
      BOB,
      SKIP,
    ],
    'row-no-address.csv': [lines(HEAD, `,Ann,${Q}`, bob), 'email is missing', BOB, SKIP],
    'row-two-addresses.csv': [
      lines(HEAD, `ann@example.com / x@example.com,Ann,${Q}`, bob),
      'email must be a valid e-mail address',
      BOB,
      SKIP,
    ],
    'row-too-many-values.csv': [
      lines(HEAD, `ann@example.com,Byron, Ann,${Q}`, bob),
      'has more values than there are columns',
      BOB,
      SKIP,
    ],
    'row-total-line.csv': [lines(HEAD, bob, 'Total: 1,,'), 'email must be a valid e-mail address', BOB, SKIP],
  }),
  ...cases('rows', {
    'row-commented-out-stops.csv': [lines(HEAD, `#${ann}`, bob), 'email begins with #'],
    'row-short.csv': [lines(HEAD, 'ann@example.com,Ann', bob), 'quiz_id or package_id is missing'],
    'row-send-maybe.csv': [lines(`${HEAD},send_email`, `${ann},maybe`), 'send_email must be yes or no'],
    'row-both-targets.csv': [lines(`${HEAD},package_id`, `${ann},${PACKAGE}`), 'exclude each other'],
  }),
  ...cases('sent', {
    'row-blank-lines.csv': [`\n\n${HEAD}\n\n${ann}\n,,\n\n${bob}\n\n`, '2 rows', BOTH],
    'row-sep-line.csv': [`sep=;\r\n${PLAIN.replaceAll(',', ';')}`, 'csv with ;', BOTH],
    'row-tabs.tsv': [PLAIN.replaceAll(',', '\t'), 'tsv in UTF-8', BOTH],
    'row-mail-form.csv': [lines('email,quiz_id', `Ann <ann@example.com>,${Q}`), 'to be sent 1', ANN],
    'row-formula-name.csv': [lines(HEAD, `ann@example.com,'=Ann,${Q}`), 'to be sent 1', { 'ann@example.com': '=Ann' }],
    'row-duplicate.csv': [lines(HEAD, ann, `ANN@example.com,Ann B,${Q}`), 'duplicates 1', ANN],
    'row-name-two-lines.csv': [
      lines(HEAD, `ann@example.com,"Ann\nB",${Q}`),
      '1 value spans lines',
      { 'ann@example.com': 'Ann B' },
    ],
    'row-dutch-name.csv': [
      lines(HEAD, `ann@example.com,Ann 't Hooft,${Q}`),
      'to be sent 1',
      { 'ann@example.com': "Ann 't Hooft" },
    ],
    'row-yes-german.csv': [lines(`${HEAD},send_email`, `${ann},nein`), 'none for 1 row', ANN],
    'row-header-only.csv': [lines(HEAD), 'the file has no rows'],
    'row-no-line-end.csv': [PLAIN.trimEnd(), 'to be sent 2', BOTH],
  }),
]

export const WILD_FILES: readonly WildFile[] = [
  ...SPECTRUM,
  ...SPECTRUM_REFUSED,
  ...QUOTES,
  ...HEADINGS,
  ...ENCODINGS,
  ...JSON_FILES,
  ...ROWS,
]
