import { expect, test } from 'vitest'
import { freePort } from '../postgres/supervised.mjs'
import { clientBy } from '../src/clock.ts'
import { create, stallClock } from './exchange.ts'
import { FETCHES, openFetch } from './fetches.ts'
import { WAYS } from './matrix.ts'
import { run } from './run.ts'
import type { Scenario } from './scenario.ts'
import type { Connection } from './service.ts'

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
        const response = ({ tcp }: Connection) => void (ends ? tcp.end(text, 'latin1') : tcp.write(text, 'latin1'))
        const name = `${JSON.stringify(text)} in TLS${ends ? ', and the end' : ''}`
        yield { name, way, steps: [{ executes: 'before', response, stalls: true }] }
      }
    }
  }
}

test.each(FETCHES)('a refused connection proves that nothing was sent, and is retried: %s', async (name) => {
  const port = await freePort()
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
