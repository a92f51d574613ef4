import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createFetch } from '../../src/node/index.ts'
import type { Fetch } from '../../src/index.ts'
import { clientBy } from '../src/clock.ts'
import { succeeding } from './bodies.ts'
import { create, stallClock } from './exchange.ts'
import { FETCHES, openFetch } from './fetches.ts'
import { WAYS } from './matrix.ts'
import { run } from './run.ts'
import type { Scenario } from './scenario.ts'
import { type Connection, startService } from './service.ts'
import { judge } from './truth.ts'

test('garbage on an established TLS connection proves nothing about what was executed', async () => {
  const tally = await run(brokenTls())
  console.log(tally.report('TLS that is broken'))
  expect(tally.breaches()).toEqual([])
})

/* Plaintext, as a misdirected proxy or server writes it, and an unencrypted alert. */
const NO_TLS = [
  'HTTP/1.1 400 Bad Request\r\n\r\n',
  'HTTP/1.1 429 Slow Down\r\nconnection: close\r\n\r\n',
  '\x15\x03\x03\x00\x02\x02\x28',
  '\x15\x03\x03\x00\x02\x02\x30',
  '\x16\x03\x01\x00\x00',
  '\x17\x03\x03\x00\x04abcd',
  '\0'.repeat(64),
]

function* brokenTls(): Generator<Scenario> {
  for (const way of WAYS.filter(({ secure }) => secure)) {
    for (const text of NO_TLS) {
      for (const ends of [true, false]) {
        const answer = ({ tcp }: Connection) => void (ends ? tcp.end(text, 'latin1') : tcp.write(text, 'latin1'))
        const name = `${JSON.stringify(text)} in TLS${ends ? ', and the end' : ''}`
        yield { name, way, steps: [{ executes: 'before', answer, stalls: true }] }
      }
    }
  }
}

/* Codes with which a library may describe a late loss like a connection that was never made. */
const WORDS = [
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_BAD_RECORD_TYPE',
]
const SHAPES: Readonly<Record<string, (code: string) => Error>> = {
  'the code': (code) => Object.assign(new Error('lost'), { code }),
  'the code of its cause': (code) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('lost'), { code }) }),
  'the codes of its errors': (code) => new AggregateError([Object.assign(new Error('lost'), { code })]),
  'the code, while reading': (code) => Object.assign(new Error('lost'), { code, syscall: 'read' }),
  'the code, while reading, as node-fetch says it': (code) =>
    Object.assign(new Error('lost'), { code, errno: code, type: 'system', erroredSysCall: 'read' }),
}

test.each(Object.entries(SHAPES))('a custom fetch proves nothing by %s', async (_shape, errorOf) => {
  for (const code of WORDS) {
    const ended = await failLate(createFetch(), errorOf(code))
    expect({ code, ...ended }).toEqual({ code, breaches: [], outcome: 'unknown' })
  }
})

/* A call that is executed before its fetch fails. */
async function failLate(send: Fetch, error: Error) {
  const service = await startService({ secure: false, keeps: false })
  const clock = stallClock()
  const steps = [
    { executes: 'before', answer: { status: 200, body: succeeding('data whole'), framing: 'close' } },
  ] as const
  const record = service.expect('call', { steps, onStall: clock.ring })
  const fetch: Fetch = async (url, init) => {
    await send(url, init)
    throw error
  }
  const client = clientBy(clock.runtime, { baseUrl: service.url, apiKey: 'ck_1', fetch })
  const told = await create(client, 'call')
  clock.stop()
  await service.close()
  const scenario: Scenario = {
    name: 'a fetch that fails late',
    way: { fetch: 'command line', secure: false, keeps: false },
    steps: [{ executes: 'before', answer: () => {} }],
  }
  const { breaches } = judge(record, scenario, told)
  return { breaches, outcome: told.outcome }
}

test.each(FETCHES)('a refused connection proves that nothing was sent, and is retried: %s', async (name) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const clock = stallClock()
  const { fetch, close } = openFetch(name, { secure: false, keeps: false })
  let attempts = 0
  const client = clientBy(clock.runtime, {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: 'ck_1',
    hooks: { onAttempt: () => (attempts += 1) },
    ...(fetch && { fetch }),
  })
  const { outcome } = await create(client, 'call')
  expect({ outcome, attempts }).toEqual({ outcome: 'not-executed', attempts: 3 })
  clock.stop()
  close()
})
