import { test } from 'vitest'
import { shownAddress } from '../../bin/config/connection.ts'
import { addressWarning } from '../../bin/invites/doubtful-address.ts'
import { printable } from '../../bin/terminal/text.ts'
import { drawTable } from '../../bin/terminal/table.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { isEmail } from '../../mock-server/world/email-addresses.ts'
import { callbackUrls, parseEvent } from '../../src/callbacks/index.ts'
import { readDocument } from '../../src/operations.ts'
import { emailFault } from '../../src/util/email-address.ts'
import { CertifyClient } from '../../src/index.ts'
import { emailKey } from '../../src/ledger/index.ts'
import { workbook } from '../bin/workbook.ts'
import { expectLinear, readSheet, readWorldFile } from './foreign-input.ts'

/** Texts of this many bytes, of which the cases are made. */
function textsOf(size: number) {
  const many = (unit: string) => unit.repeat(size / Buffer.byteLength(unit))
  /** Numbered members, together of this size. */
  const numbered = (member: (index: number) => string) => {
    const members: string[] = []
    for (let sum = 0; sum < size; sum += members.at(-1)?.length ?? 0) members.push(member(members.length))
    return members
  }
  return {
    size,
    many,
    numbered,
    han: Array.from({ length: size / 3 }, (_, index) => String.fromCharCode(0x4e00 + (index % 20_000))).join(''),
    /* Normalizing it moves every mark past others. */
    marks: `e${many('\u0301\u0323\u0345\u0315')}`,
    brackets: '['.repeat(size / 2) + ']'.repeat(size / 2),
    /* About this size when it is compressed. */
    cells: workbook({ rows: Array.from({ length: size / 10 }, (_row, index) => [`${index}@b.de`, 'x', index]) }),
  }
}

const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'k', fetch: async () => Response.error() })
const create = (input: object) =>
  client.invites.create({ quizId: 'q', candidate: { email: 'a@b.de' }, ...input }).catch(() => {})
const urls = callbackUrls({ baseUrl: 'https://app.example', secrets: ['a secret of thirty-two characters'] })
const draw = (text: string, fit: 'end' | 'middle') =>
  drawTable([{ title: 'NAME', value: () => text, fit }], [{}], 80, (_style, drawn) => drawn)
const mock = createMockServer()
const post = (body: string) =>
  mock.fetch(mock.endpoint, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
const get = (path: string) => mock.fetch(mock.baseUrl + path)
const control = (path: string, body: string) =>
  mock.fetch(`${mock.baseUrl}/__mock${path}`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body })

const inputs: Cases = {
  'an address of hyphens': ({ many }) => create({ candidate: { email: `a@${many('a-')}` } }),
  'an address of labels': ({ many }) => create({ candidate: { email: `a@${many('a.')}!` } }),
  'an address of @ and commas': ({ many }) => emailFault(many('@') + many(',')),
  'an address of Han characters': ({ han }) => emailFault(`a@${han}`),
  'the key of an address with a long domain': ({ han }) => emailKey(`a@${han}`),
  'the key of an address with many marks': ({ marks }) => emailKey(`${marks}@b.de`),
  'a URL of Han characters': ({ han }) => create({ callbackUrl: `https://${han}` }),
  'unknown fields': ({ numbered }) =>
    create(Object.fromEntries(numbered((index) => `field${index}`).map((name) => [name, 1]))),
  'a long unknown field': ({ many }) => create({ [many('quiz')]: 1 }),
  'a document with a string that is not closed': ({ many }) => readDocument(many('\\"')),
  'a base URL of slashes': ({ many }) => {
    const baseUrl = `https://a.example/${many('/')}a`
    callbackUrls({ baseUrl, secrets: ['a secret of thirty-two characters'] })
    return new CertifyClient({ baseUrl, apiKey: 'k', fetch: async () => Response.error() })
  },
}

const events: Cases = {
  'paths without a token': ({ size }) =>
    Promise.all(Array.from({ length: size / 1000 }, () => urls.read(`/${'a'.repeat(8191)}`))),
  'a path of dots': ({ many }) => urls.read(`/${many('a.')}`),
  'a path of slashes': ({ many }) => urls.read(many('/')),
  'a query of marks': ({ many }) => urls.read(many('?')),
  'a deep event': ({ brackets }) => parseEvent({ headers: {}, body: brackets }),
}

const terminal: Cases = {
  'the beginnings of links': ({ many }) => printable(many('\u001b]8;;')),
  'the beginnings of control strings': ({ many }) => printable(many('\u001b]a/')),
  'a colour that does not end': ({ many }) => printable(`\u001b[${many('1;')}`),
  'beginnings of colours': ({ many }) => printable(many('\u009b1;')),
  'flags in a table': ({ many }) => draw(`${many('🇩')}x`, 'end'),
  'blanks without a width in a table': ({ many }) => draw(`${many('\u200b')}x`, 'middle'),
  'marks in a table': ({ marks }) => draw(marks, 'middle'),
  'an address of slashes': ({ many }) => shownAddress(`https://a.example/${many('/')}a`),
  'a domain that may be misspelt': ({ many }) => addressWarning(`a@${many('gmail.com')}`),
}

const sheets: Cases = {
  'blanks in a name': ({ many }) => readSheet(`email,name\na@b.de,"a${many(' ')}b"\n`),
  'marks in yes or no': ({ marks }) => readSheet(`email,send_email\na@b.de,${marks}\n`),
  'marks in a heading': ({ marks }) => readSheet(`email,${marks}\na@b.de\n`),
  'an address of hyphens': ({ many }) => readSheet(`email\na@${many('a-')}\n`),
  'columns with one meaning': ({ many }) => readSheet(`${many('email,x,')}\na@b.de\n`),
  'unknown columns': ({ numbered }) => readSheet(`email,${numbered((index) => `c${index},`).join('')}\na@b.de\n`),
  quotes: ({ many }) => readSheet(`email\n${many('"')}`),
  'a long word with bytes that are no text': ({ many }) =>
    readSheet(Buffer.from(`[{"${many('a')}\u0082":1}]`, 'latin1')),
  'rows with a quote': ({ many }) => readSheet(`email\n${many('a@b.de,"x\n')}`),
  'rows shorter than the header': ({ many }) => readSheet(`email,name\n${many('a@b.de\n')}`),
  'rows that end in a quote': ({ many }) => readSheet(`email\n${many('x"\na@b.de\n')}`),
  'line breaks in a value': ({ many }) => readSheet(`email,name\na@b.de,"${many('\n')}"\n`),
  blanks: ({ many }) => readSheet(many(' ')),
  'letters after a byte that is no text': ({ many }) => readSheet(Buffer.from(`email\n\u00ff\n${many('a')}`, 'latin1')),
  'bytes that are no text': ({ size }) => readSheet(Buffer.alloc(size, 0xe4)),
  'lines that are no text': ({ many }) => readSheet(Buffer.from(many('\u00e4\n'), 'latin1')),
  'lines in quotes': ({ many }) => readSheet(many('"a,b"\n')),
  'signs of formulas': ({ many }) => readSheet(`email\n${many("'=,")}\n`),
  'errors of a sheet': ({ many }) => readSheet(`email\n#${many('A')}\n`),
  'digits in text': ({ many }) => readSheet(`[${many('-1e')}`),
  'a workbook of many cells': async ({ cells }) => readSheet(await cells),
  'fields of JSON': ({ numbered }) => readSheet(`{${numbered((index) => `"k${index}":1`).join()}}\n`),
  'objects with a field each': ({ numbered }) => readSheet(numbered((index) => `{"k${index}":1}\n`).join('')),
  'deep JSON': ({ brackets }) => readSheet(`[{"email":${brackets}}]`),
  'deep NDJSON': ({ brackets }) => readSheet(`{"email":${brackets}}\n`),
  digits: ({ many }) => readSheet(`[{"email":${many('1')}}]`),
  'fields before the candidates': ({ many }) => readSheet(`{${many('"a":"b",')}`),
  'escapes before the candidates': ({ many }) => readSheet(`{"${many('a\\"')}`),
}

const world = (text: string) => readWorldFile('world.json', text)
const yaml = (text: string) => readWorldFile('world.yaml', text)

const worlds: Cases = {
  'a file that is no JSON': ({ many }) => world(`{"a":"${many('a')}`),
  'deep JSON': ({ brackets }) => world(`{"quizzes":[${brackets}]}`),
  'unknown fields': ({ numbered }) => world(`{${numbered((index) => `"k${index}":1`).join()}}`),
  'a long unknown field': ({ many }) => world(`{"${many('quiz')}":1}`),
  'entries of another kind': ({ many }) => world(`{"tracks":[${many('"a track",')}1]}`),
  'unknown quizzes': ({ size, numbered }) => {
    const quizzes = numbered((index) => `{"id":"a${index}"}`).slice(0, size * 0.03)
    const unknown = numbered((index) => `"b${index}"`).slice(0, size * 0.06)
    return world(`{"quizzes":[${quizzes.join()}],"tracks":[{"packages":[{"quizIds":[${unknown.join()}]}]}]}`)
  },
  'API keys': ({ numbered }) => world(`{"apiKeys":[${numbered((index) => `{"key":"a${index}"}`).join()}]}`),
  'an address of hyphens': ({ many }) => world(`{"candidates":[{"email":"a@${many('a-')}"}]}`),
  'deep YAML': ({ brackets }) => yaml(brackets),
  'YAML that is nested in one line': ({ many }) => yaml(`${many('- ')}a`),
  'YAML with questions': ({ many }) => yaml(`${many('? ')}a`),
  'keys of YAML': ({ numbered }) => yaml(numbered((index) => `k${index}: 1\n`).join('')),
  'aliases of YAML': ({ numbered }) => yaml(numbered((index) => `- &a${index} x\n- *a${index}\n`).join('')),
  'aliases of aliases of YAML': ({ numbered }) =>
    yaml(`- &a0 [x]\n${numbered((index) => `- &a${index + 1} [*a${index}]\n`).join('')}`),
  'YAML of quotes': ({ many }) => yaml(many('"')),
  'YAML of brackets that were never opened': ({ many }) => yaml(many(']')),
}

const requests: Cases = {
  'beginnings of magic addresses': ({ many }) => post(many('hang+')),
  'blanks in an accept header': ({ many }) => mock.fetch(mock.endpoint, { headers: { accept: many('a/b;q="') } }),
  'an address of labels': ({ many }) => isEmail(`a@${many('a.')}!`, 'accept'),
  'a search for a long text': async ({ many }) => {
    mock.reset()
    await post(many('(a'))
    return get(`/__mock/requests?search=${many('(')}`)
  },
  'beginnings of keys in the log': async ({ size }) => {
    mock.reset()
    for (let index = 0; index < size / 1600; index += 1) await post('[key '.repeat(3200))
    return get('/requests')
  },
  'a deep body': ({ brackets }) => control('/state', `{"format":${brackets}}`),
  'a deep variable': ({ brackets }) => post(`{"query":"{__typename}","variables":{"a":${brackets}}}`),
  'a document of braces': ({ many }) => post(JSON.stringify({ query: many('{a') })),
}

type Cases = Readonly<Record<string, (texts: ReturnType<typeof textsOf>) => unknown>>

const small = textsOf(25_000)
const large = textsOf(100_000)

test.each(
  Object.entries({ inputs, events, terminal, sheets, worlds, requests }).flatMap(([what, cases]) =>
    Object.entries(cases).map(([which, run]) => [what, which, run] as const),
  ),
)('%s: worst-case input takes linear time: %s', async (_what, _which, run) => {
  await expectLinear(
    () => run(small),
    () => run(large),
  )
})
