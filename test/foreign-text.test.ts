import { beforeAll, expect, test } from 'vitest'
import { shownAddress } from '../bin/config/connection.ts'
import { doubtIn } from '../bin/invites/doubtful-address.ts'
import { printable } from '../bin/terminal/printable.ts'
import { drawTable } from '../bin/terminal/table.ts'
import { createMockServer } from '../mock-server/index.ts'
import { isEmail } from '../mock-server/world/email-addresses.ts'
import { callbackUrls, parseEvent } from '../src/callbacks/index.ts'
import { readDocument } from '../src/document.ts'
import { emailFault } from '../src/email-address.ts'
import { CertifyClient } from '../src/index.ts'
import { emailKey } from '../src/ledger/index.ts'
import { workbook } from './bin/workbook.ts'
import { cpuSecondsOf, readSheet, readWorldFile } from './foreign-input.ts'

const SIZE = 100_000

/** A unit repeated to 100 kB. */
const many = (unit: string) => unit.repeat(SIZE / Buffer.byteLength(unit))
/** Numbered members, together 100 kB. */
const numbered = (member: (index: number) => string) => {
  const members: string[] = []
  for (let size = 0; size < SIZE; size += members.at(-1)?.length ?? 0) members.push(member(members.length))
  return members
}
const han = Array.from({ length: SIZE / 3 }, (_, index) => String.fromCharCode(0x4e00 + (index % 20_000))).join('')
/* Normalizing it moves every mark past others. */
const marks = `e${many('\u0301\u0323\u0345\u0315')}`
const brackets = '['.repeat(SIZE / 2) + ']'.repeat(SIZE / 2)

const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'k', fetch: async () => Response.error() })
const create = (input: object) =>
  client.invites.create({ quizId: 'q', candidate: { email: 'a@b.de' }, ...input }).catch(() => {})
const urls = callbackUrls({ baseUrl: 'https://app.example', secrets: ['a secret of thirty-two characters'] })
const draw = (text: string, fit: 'end' | 'middle') => drawTable([{ title: 'NAME', value: () => text, fit }], [{}], 80)
const mock = createMockServer()
const post = (body: string) =>
  mock.fetch(mock.endpoint, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
const get = (path: string) => mock.fetch(mock.baseUrl + path)
const control = (path: string, body: string) =>
  mock.fetch(`${mock.baseUrl}/__mock${path}`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body })

const inputs: Cases = {
  'an address of hyphens': () => create({ candidate: { email: `a@${many('a-')}` } }),
  'an address of labels': () => create({ candidate: { email: `a@${many('a.')}!` } }),
  'an address of @ and commas': () => emailFault(`${'@'.repeat(SIZE / 2)}${','.repeat(SIZE / 2)}`),
  'an address of Han characters': () => emailFault(`a@${han}`),
  'the key of an address with a long domain': () => emailKey(`a@${han}`),
  'the key of an address with many marks': () => emailKey(`${marks}@b.de`),
  'a URL of Han characters': () => create({ callbackUrl: `https://${han}` }),
  'unknown fields': () => create(Object.fromEntries(numbered((index) => `field${index}`).map((name) => [name, 1]))),
  'a long unknown field': () => create({ [many('quiz')]: 1 }),
  'a document with a string that is not closed': () => readDocument(many('\\"')),
  'a base URL of slashes': () => {
    const baseUrl = `https://a.example/${many('/')}a`
    callbackUrls({ baseUrl, secrets: ['a secret of thirty-two characters'] })
    return new CertifyClient({ baseUrl, apiKey: 'k', fetch: async () => Response.error() })
  },
}

const events: Cases = {
  'a hundred paths without a token': () =>
    Promise.all(Array.from({ length: 100 }, () => urls.read(`/${'a'.repeat(8191)}`))),
  'a path of dots': () => urls.read(`/${many('a.')}`),
  'a path of slashes': () => urls.read(many('/')),
  'a query of marks': () => urls.read(many('?')),
  'a deep event': () => parseEvent({ headers: {}, body: brackets }),
}

const terminal: Cases = {
  'the beginnings of links': () => printable(many('\u001b]8;;')),
  'the beginnings of control strings': () => printable(many('\u001b]a/')),
  'a colour that does not end': () => printable(`\u001b[${many('1;')}`),
  'beginnings of colours': () => printable(many('\u009b1;')),
  'flags in a table': () => draw(`${many('🇩')}x`, 'end'),
  'blanks without a width in a table': () => draw(`${many('\u200b')}x`, 'middle'),
  'marks in a table': () => draw(marks, 'middle'),
  'an address of slashes': () => shownAddress(`https://a.example/${many('/')}a`),
  'a domain that may be misspelt': () => doubtIn(`a@${many('gmail.com')}`),
}

/* About 100 kB when it is compressed. */
const cells = workbook({ rows: Array.from({ length: 10_000 }, (_row, index) => [`${index}@b.de`, 'x', index]) })

const sheets: Cases = {
  'blanks in a name': () => readSheet(`email,name\na@b.de,"a${many(' ')}b"\n`),
  'marks in yes or no': () => readSheet(`email,send_email\na@b.de,${marks}\n`),
  'marks in a heading': () => readSheet(`email,${marks}\na@b.de\n`),
  'an address of hyphens': () => readSheet(`email\na@${many('a-')}\n`),
  'columns with one meaning': () => readSheet(`${many('email,x,')}\na@b.de\n`),
  'unknown columns': () => readSheet(`email,${numbered((index) => `c${index},`).join('')}\na@b.de\n`),
  quotes: () => readSheet(`email\n${many('"')}`),
  'a long word with bytes that are no text': () => readSheet(Buffer.from(`[{"${many('a')}\u0082":1}]`, 'latin1')),
  'rows with a quote': () => readSheet(`email\n${many('a@b.de,"x\n')}`),
  'rows shorter than the header': () => readSheet(`email,name\n${many('a@b.de\n')}`),
  'rows that end in a quote': () => readSheet(`email\n${many('x"\na@b.de\n')}`),
  'line breaks in a value': () => readSheet(`email,name\na@b.de,"${many('\n')}"\n`),
  blanks: () => readSheet(many(' ')),
  'letters after a byte that is no text': () => readSheet(Buffer.from(`email\n\u00ff\n${many('a')}`, 'latin1')),
  'bytes that are no text': () => readSheet(Buffer.alloc(SIZE, 0xe4)),
  'lines that are no text': () => readSheet(Buffer.from(many('\u00e4\n'), 'latin1')),
  'lines in quotes': () => readSheet(many('"a,b"\n')),
  'signs of formulas': () => readSheet(`email\n${many("'=,")}\n`),
  'errors of a sheet': () => readSheet(`email\n#${many('A')}\n`),
  'digits in text': () => readSheet(`[${many('-1e')}`),
  'a workbook of many cells': async () => readSheet(await cells),
  'fields of JSON': () => readSheet(`{${numbered((index) => `"k${index}":1`).join()}}\n`),
  'objects with a field each': () => readSheet(numbered((index) => `{"k${index}":1}\n`).join('')),
  'deep JSON': () => readSheet(`[{"email":${brackets}}]`),
  'deep NDJSON': () => readSheet(`{"email":${brackets}}\n`),
  digits: () => readSheet(`[{"email":${many('1')}}]`),
  'fields before the candidates': () => readSheet(`{${many('"a":"b",')}`),
  'escapes before the candidates': () => readSheet(`{"${many('a\\"')}`),
}

const world = (text: string) => readWorldFile('world.json', text)
const yaml = (text: string) => readWorldFile('world.yaml', text)
const quizzes = numbered((index) => `{"id":"a${index}"}`).slice(0, 3000)
const unknownQuizzes = numbered((index) => `"b${index}"`).slice(0, 6000)

const worlds: Cases = {
  'a file that is no JSON': () => world(`{"a":"${many('a')}`),
  'deep JSON': () => world(`{"quizzes":[${brackets}]}`),
  'unknown fields': () => world(`{${numbered((index) => `"k${index}":1`).join()}}`),
  'a long unknown field': () => world(`{"${many('quiz')}":1}`),
  'entries of another kind': () => world(`{"tracks":[${many('"a track",')}1]}`),
  'unknown quizzes': () =>
    world(`{"quizzes":[${quizzes.join()}],"tracks":[{"packages":[{"quizIds":[${unknownQuizzes.join()}]}]}]}`),
  'API keys': () => world(`{"apiKeys":[${numbered((index) => `{"key":"a${index}"}`).join()}]}`),
  'an address of hyphens': () => world(`{"candidates":[{"email":"a@${many('a-')}"}]}`),
  'deep YAML': () => yaml(brackets),
  'YAML that is nested in one line': () => yaml(`${many('- ')}a`),
  'YAML with questions': () => yaml(`${many('? ')}a`),
  'keys of YAML': () => yaml(numbered((index) => `k${index}: 1\n`).join('')),
  'aliases of YAML': () => yaml(numbered((index) => `- &a${index} x\n- *a${index}\n`).join('')),
  'YAML of quotes': () => yaml(many('"')),
  'YAML of brackets that were never opened': () => yaml(many(']')),
}

const requests: Cases = {
  'beginnings of magic addresses': () => post(many('hang+')),
  'blanks in an accept header': () => mock.fetch(mock.endpoint, { headers: { accept: many('a/b;q="') } }),
  'an address of labels': () => isEmail(`a@${many('a.')}!`, 'accept'),
  'a search for a long text': () => get(`/__mock/requests?search=${many('(')}`),
  'beginnings of keys in the log': async () => {
    for (let index = 0; index < 60; index += 1) await post('[key '.repeat(3200))
    return get('/requests')
  },
  'a deep body': () => control('/state', `{"format":${brackets}}`),
  'a deep variable': () => post(`{"query":"{__typename}","variables":{"a":${brackets}}}`),
  'a document of braces': () => post(JSON.stringify({ query: many('{a') })),
}

type Cases = Readonly<Record<string, () => unknown>>

beforeAll(() => Promise.all([get('/__mock/state'), readSheet('email\n'), yaml('')]))

test.each(
  Object.entries({ inputs, events, terminal, sheets, worlds, requests }).flatMap(([what, cases]) =>
    Object.entries(cases).map(([which, run]) => [what, which, run] as const),
  ),
)('%s: 100 kB of worst-case input takes less than a second: %s', { timeout: 60_000 }, async (_what, _which, run) => {
  expect(await cpuSecondsOf(run)).toBeLessThan(1)
})
