import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  nat,
  oneof,
  option,
  record,
  string,
  tuple,
  uint8Array,
} from 'fast-check'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { callbackUrls, createCallbackHandler, parseEvent } from '../../src/callbacks/index.ts'
import type { CallbackRequest } from '../../src/callbacks/handler.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { CertifyClient, type InviteInput, isCertifyError, type PackageInviteInput } from '../../src/index.ts'
import { workbook } from '../bin/workbook.ts'
import { cpuSecondsOf, readSheet, readWorldFile } from './foreign-input.ts'

/* FUZZ_MINUTES: the total duration, by default a few seconds. FUZZ_SEED: repeats a failed run. */

const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)
const EACH_MS = (Number(process.env['FUZZ_MINUTES'] ?? 0.1) * 60_000) / 4
const MAX_LENGTH = 100_000

async function fuzz<Value>(what: Arbitrary<Value>, holds: (value: Value) => Promise<void>): Promise<void> {
  console.info(`FUZZ_SEED=${SEED}`)
  const limits = { interruptAfterTimeLimit: EACH_MS, markInterruptAsFailure: false, numRuns: Number.MAX_SAFE_INTEGER }
  let inputs = 0
  const counted = async (value: Value) => {
    inputs += 1
    await holds(value)
  }
  await assert(asyncProperty(what, counted), { seed: SEED, ...limits })
  console.info(`${inputs} inputs`)
}

/* What a machine can do is measured with work that takes about a thousandth of what is allowed for 100 kB. */
const MAX_PARSES = 1000
const plain = JSON.stringify(Array.from({ length: 4000 }, (_each, index) => ({ email: `${index}@b.de` })))
const parse20 = () => {
  for (let count = 0; count < 20; count += 1) JSON.parse(plain)
}
let parseSeconds: number | undefined

/* A slow run is measured again, beside the parsing: it may have loaded or compiled something. */
async function expectFast(bytes: number, run: () => unknown): Promise<void> {
  const most = MAX_PARSES * Math.max(1, bytes / MAX_LENGTH)
  let least = Number.POSITIVE_INFINITY
  for (let round = 1; round <= 5 && least >= most; round += 1) {
    const seconds = await cpuSecondsOf(run)
    if (round > 1 || parseSeconds === undefined) parseSeconds = (await cpuSecondsOf(parse20)) / 20
    least = Math.min(least, seconds / parseSeconds)
  }
  expect(least).toBeLessThan(most)
}

/** A text of these and other tokens, each possibly repeated many times. */
function textOf(...tokens: readonly string[]): Arbitrary<string> {
  const token = oneof(constantFrom(...tokens), constantFrom(...tokens), string({ unit: 'binary', maxLength: 6 }))
  const times = oneof({ weight: 6, arbitrary: constant(1) }, { weight: 2, arbitrary: nat(50) }, nat(MAX_LENGTH))
  return array(tuple(token, times), { maxLength: 12 }).map((parts) => {
    let text = ''
    for (const [unit, count] of parts)
      text += unit.repeat(Math.min(count, (MAX_LENGTH - text.length) / (unit.length || 1)))
    return text
  })
}

const deep = nat(MAX_LENGTH / 2).map((depth) => '['.repeat(depth) + ']'.repeat(depth))
const anyJson = jsonValue({ maxDepth: 4, stringUnit: 'binary' })
const anyText = textOf('a', '@', '.', '-', ' ', '\n', '"', ',', '\u001b[31m', '\u0301', '漢', '\ud800', '\0')

/* Inputs. */

const address = oneof(
  constantFrom('ada@example.com', 'pass+1@candidate.test', 'ada@bücher.example'),
  textOf('a', '@', '.', '-', ',', ' ', '<', 'ü', '漢', '\u0301', 'xn--', '"'),
)
const url = oneof(constant('https://app.example/x'), textOf('https://', '/', 'a', '.', '漢', '\u0301', '%', ':', '@'))
const input = oneof(
  record({
    target: constantFrom({ quizId: 'quiz_react_beginner_state' }, { packageId: 'pkg_react_beginner' }),
    candidate: record({ email: address }),
    callbackUrl: option(url, { nil: undefined }),
  }).map(({ target, ...rest }) => ({ ...target, ...rest })),
  record(
    {
      quizId: oneof(anyText, anyJson),
      packageId: oneof(anyText, anyJson),
      candidate: oneof(record({ email: address, name: oneof(anyText, anyJson) }, { requiredKeys: [] }), anyJson),
      sendInviteEmail: anyJson,
      externalReference: oneof(anyText, anyJson),
      callbackUrl: url,
    },
    { requiredKeys: [] },
  ),
  dictionary(anyText, anyJson),
)
const document = textOf('{', '}', 'query', 'mutation', '"', '"""', '\\"', '#', '\n', '...', '@', '(', ')', ':')

test('any call ends fast, and refused input is not sent', fuzzing(), async () => {
  const mock = createMockServer()
  let sent = 0
  const client = new CertifyClient({
    baseUrl: mock.baseUrl,
    apiKey: mock.apiKey,
    retry: false,
    fetch: (...request) => {
      sent += 1
      return mock.fetch(...request)
    },
  })
  const calls = [
    (given: object) => client.invites.create(given as InviteInput),
    (given: object) => client.packageInvites.create(given as PackageInviteInput),
    (_given: object, text: string) => client.tracks.list({ search: text }),
    (_given: object, text: string) => client.request(text, {}),
  ]
  await fuzz(tuple(constantFrom(...calls), input, document), async ([call, given, text]) => {
    await expectFast(sizeOf(given) + text.length, async () => {
      mock.reset()
      sent = 0
      const error = await Promise.resolve()
        .then(() => call(given, text))
        .then(
          () => undefined,
          (reason: unknown) => reason,
        )
      expect(error).toSatisfy((each) => each === undefined || isCertifyError(each))
      expect(sent).toBe(isCertifyError(error) && error.code === 'INPUT_INVALID' ? 0 : 1)
    })
  })
})

/* Events. */

const reference = 'send-1'
const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })
const type = constantFrom('certification.completed', 'certification.follow_up_claimed', 'other', '')
const id = constantFrom('evt_1', 'evt_2', '')
const eventBody = oneof(
  record(
    {
      id,
      type,
      data: record({ inviteId: id, originalInviteId: id, followUpInviteId: id, result: anyJson }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ).map((event) => JSON.stringify(event)),
  deep,
  anyText,
  anyJson.map((value) => JSON.stringify(value)),
)
const handedOver = constantFrom('whole', 'chunks', 'iterable', 'failing', 'locked', 'read', 'none')
const delivery = record({
  method: oneof(constant('POST'), constant('POST'), constantFrom('GET', 'HEAD', 'PUT', 'get', '')),
  path: oneof(constant('{url}'), constant('{url}'), textOf('{url}', '/', '.', '?', '#', 'a', '-', '=')),
  contentType: oneof(constant('application/json'), textOf('application/', 'json', 'a+', ';', ' ', 'charset=utf-8')),
  deliveryId: option(id),
  isDeclared: constantFrom(true, false),
  body: eventBody,
  form: handedOver,
})
type Delivery = typeof delivery extends Arbitrary<infer Made> ? Made : never

/* The body as a runtime or a framework passes it. */
function bodyOf(bytes: Uint8Array<ArrayBuffer>, form: Delivery['form']): CallbackRequest['body'] {
  const { body } = new Response(form === 'read' ? new Uint8Array() : bytes)
  if (form === 'none' || body === null) return null
  if (form === 'locked') body.getReader()
  if (form === 'chunks') {
    const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 7), bytes.subarray(7)]
    return ReadableStream.from(pieces)
  }
  if (form === 'iterable' || form === 'failing') {
    return (async function* () {
      yield bytes
      if (form === 'failing') throw new Error('the connection has ended')
    })()
  }
  return body
}

const STATUSES = new Set([200, 400, 404, 405, 408, 413, 415, 500])

/* What makes two deliveries the same event. */
async function identityOf(body: Uint8Array, deliveryId: string | null): Promise<string> {
  const event = await parseEvent({ headers: { 'webhook-id': deliveryId ?? undefined }, body })
  const { inviteId, originalInviteId, followUpInviteId } = event as unknown as Readonly<Record<string, unknown>>
  const subject = [inviteId, originalInviteId, followUpInviteId]
  return JSON.stringify([event.id, event.name, ...subject, event.id === null && Buffer.from(body).toString('hex')])
}

test('every delivery gets a response, and 200 only if its event is stored', fuzzing(), async () => {
  const minted = await urls.mint(reference)
  await fuzz(array(delivery, { minLength: 1, maxLength: 4 }), async (deliveries) => {
    const { inbox } = await openLedger(':memory:')
    const handler = createCallbackHandler({ callbacks: urls, inbox, onEvent: () => {}, onFailure: () => {} })
    const size = deliveries.reduce((sum, { body, path }) => sum + body.length + path.length, 0)
    await expectFast(size, async () => {
      for (const { method, path, contentType, deliveryId, isDeclared, form, ...sent } of deliveries) {
        const body = new TextEncoder().encode(sent.body)
        const headers: Record<string, string> = { 'content-type': contentType }
        if (isDeclared) headers['content-length'] = String(body.length)
        if (deliveryId !== null) headers['webhook-id'] = deliveryId
        const request = { method, url: path.replace('{url}', minted), headers, body: bodyOf(body, form) }
        const { status } = await handler(request)
        expect(STATUSES).toContain(status)
        const isLost = form === 'none' || form === 'read'
        const isProbe = method === 'GET' || method === 'HEAD' || body.length === 0 || (isLost && !isDeclared)
        if (status !== 200 || isProbe) continue
        const stored: string[] = []
        for await (const row of inbox.list()) stored.push(await identityOf(row.body, row.deliveryId))
        expect(stored).toContain(await identityOf(body, deliveryId))
      }
    })
    await handler.close()
  })
})

/* Sheets. */

const cell = oneof(
  address,
  anyText,
  textOf('a', ' ', '\t', '\u0301'),
  constantFrom('ja', 'quiz_1', '=1+1', '2030-01-01', '0', '1e21', 'Ada <ada@b.de>', '# a@b.de'),
)
const heading = oneof(constantFrom('email', 'E-Mail', 'name', 'quiz_id', 'send_email', 'certify_error', '""'), anyText)
const HEADINGS = ['email', 'name', 'send_email', 'external_reference', 'callback_url']
const table = tuple(
  oneof(constant(HEADINGS), array(heading, { maxLength: 5 })),
  array(array(cell, { maxLength: 5 }), { maxLength: 6 }),
  constantFrom(',', ';', '\t'),
  constantFrom('\n', '\r\n', '\r'),
).map(([head, rows, delimiter, lineEnd]) => [head, ...rows].map((cells) => cells.join(delimiter)).join(lineEnd))
const candidates = array(oneof(dictionary(heading, oneof(cell, anyJson)), anyJson), { maxLength: 6 })
const sheetText = oneof(
  table,
  table,
  textOf('email', ',', 'email,', 'x,', '"', '""', '\n', '\r', 'a@b.de', 'a@b.de,"x\n', ';', '\t', ' ', 'sep=;\n'),
  candidates.map((rows) => rows.map((row) => JSON.stringify(row)).join('\n')),
  candidates.map((rows) => JSON.stringify(rows)),
  candidates.map((rows) => JSON.stringify({ candidates: rows })),
  textOf('[', ']', '{', '}', '"', '"email"', ':', ',', '\\', '\n', '1', '-', 'e', 'null', '"candidates":['),
  deep.map((json) => `[{"email":${json}}]`),
)
const encoded = tuple(sheetText, constantFrom('utf8', 'utf16le', 'latin1'), option(nat(MAX_LENGTH))).map(
  ([text, encoding, cut]) => Buffer.from(text, encoding).subarray(0, cut ?? undefined),
)
const book = record({
  rows: array(array(oneof(heading, cell, integer(), constant(true)), { maxLength: 4 }), { maxLength: 5 }),
  changes: array(tuple(nat(5000), nat(255)), { maxLength: 3 }),
})
const sheet = oneof(encoded, encoded, book, uint8Array({ maxLength: 300 }))

async function bytesOf(file: Uint8Array | (typeof book extends Arbitrary<infer Made> ? Made : never)) {
  if (file instanceof Uint8Array) return file
  const bytes = await workbook({ rows: file.rows })
  for (const [at, value] of file.changes) bytes[at % bytes.length] = value
  return bytes
}

test('any file of candidates is read or refused fast', fuzzing(), async () => {
  await readSheet(await workbook({ rows: [['email']] }))
  await fuzz(sheet, async (file) => {
    const bytes = await bytesOf(file)
    /* For a workbook, the unpacked size counts. */
    const size = bytes[0] === 0x50 ? 10 * bytes.length : bytes.length
    await expectFast(size, () => readSheet(bytes))
  })
})

/* World files. */

const some = <Value>(made: Arbitrary<Value>) => array(oneof(made, made, anyJson), { maxLength: 6 })
const level = constantFrom('BEGINNER', 'EXPERT', 'MASTER')
const name = oneof(constantFrom('quiz_1', 'quiz_2', 'x'), anyText)
const quiz = record(
  {
    id: name,
    skillName: name,
    level,
    ready: constantFrom(true, false),
    durationMinutes: oneof(nat(90), anyJson),
    enabledLanguages: some(name),
    conceptsTested: some(name),
  },
  { requiredKeys: ['id', 'level'] },
)
const pack = record({ id: name, name, level, description: name, quizIds: some(name) }, { requiredKeys: [] })
const track = record({ id: name, name, slug: name, packages: some(pack) }, { requiredKeys: [] })
const candidate = record(
  {
    email: address,
    certifications: some(
      record({ quizId: name, passedAt: oneof(constant('2030-01-01'), anyText) }, { requiredKeys: [] }),
    ),
    attempts: some(record({ quizId: name, startedAt: anyText }, { requiredKeys: [] })),
  },
  { requiredKeys: ['email'] },
)
const key = record({ name, key: name, scopes: some(constantFrom('CERTIFICATION_PACKAGE_READ', 'X')) })
const switches = dictionary(constantFrom('errorStatus', 'rateLimit', 'callbackRetries', 'pendingInvite', 'x'), anyJson)
const world = record(
  {
    quizzes: some(quiz),
    tracks: some(track),
    candidates: some(candidate),
    apiKeys: some(key),
    behaviour: oneof(switches, anyJson),
  },
  { requiredKeys: [] },
).map((value) => JSON.stringify(value, null, 1))
const worldText = oneof(
  world,
  world,
  deep.map((json) => `{"tracks":[${json}]}`),
  textOf(
    'a',
    ':',
    ' ',
    '\n',
    '- ',
    '? ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    "'",
    '&a',
    '*a',
    '!',
    '|',
    '>',
    '#',
    '---',
    '\t',
    '%',
  ),
  textOf('quizzes:\n', '  - ', 'id: ', 'x\n', 'level: ', '[', ']', '&a ', '*a', 'tracks: ', '<<: '),
)

test('any world in a file starts or is refused fast', fuzzing(), async () => {
  await readWorldFile('world.yaml', 'a: 1')
  await fuzz(tuple(constantFrom('world.json', 'world.yaml'), worldText), async ([file, text]) => {
    await expectFast(Buffer.byteLength(text), () => readWorldFile(file, text))
  })
})

function sizeOf(value: object): number {
  return JSON.stringify(value).length
}

/* Shrinking a counterexample takes as long again. */
function fuzzing() {
  return { timeout: 120_000 + 3 * EACH_MS }
}
