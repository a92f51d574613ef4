import { expect, test } from 'vitest'
import { failing, HTML, NOTHING, succeeding } from './bodies.ts'
import { FORM, spread, WAYS } from './matrix.ts'
import { run } from './run.ts'
import type { Scenario } from './scenario.ts'
import type { Connection, Step } from './service.ts'

const CREATED = { status: 200, body: succeeding('data whole'), framing: 'content-length' } as const
const KEPT = WAYS.filter(({ keeps }) => keeps)

test('a kept connection that ends as the next request begins proves nothing', async () => {
  const tally = await run(endingConnections())
  console.log(tally.report('kept connections that end'))
  expect(tally.breaches()).toEqual([])
})

const ENDS: Readonly<Record<string, (connection: Connection) => void>> = {
  'by FIN': ({ socket }) => socket.end(),
  'by FIN below TLS': ({ tcp }) => tcp.end(),
  'by RST': ({ tcp }) => tcp.resetAndDestroy(),
}

const MOMENTS: Readonly<Record<string, (end: () => void) => void>> = {
  'at once': (end) => end(),
  'a turn later': (end) => void setImmediate(end),
  '1 ms later': (end) => void setTimeout(end, 1),
}

function* endingConnections(): Generator<Scenario> {
  for (const way of KEPT) {
    for (const [how, end] of Object.entries(ENDS)) {
      for (const [when, at] of Object.entries(MOMENTS)) {
        const afterListing = (connection: Connection) => at(() => end(connection))
        yield { name: `ends ${how} ${when}`, way, steps: [{ executes: 'before', response: CREATED }], afterListing }
      }
      for (const executes of ['before', 'never'] as const) {
        for (const atHead of [false, true]) {
          yield {
            name: `ends ${how} at a request, atHead ${atHead}`,
            way,
            steps: [{ executes, response: end, atHead }],
          }
        }
      }
    }
  }
}

test('a response before the end of the request does not prove what happens after it', async () => {
  const tally = await run(earlyResponses())
  console.log(tally.report('early responses'))
  expect(tally.breaches()).toEqual([])
})

/* More than a connection buffers before the service reads. */
const LONG_NAME = 5_000_000

function* earlyResponses(): Generator<Scenario> {
  for (const way of WAYS) {
    for (const status of [200, 302, 400, 408, 413, 429, 503]) {
      for (const body of [NOTHING, HTML, failing('no data', ['FORBIDDEN', 'a child']), succeeding('data whole')]) {
        const response = { status, body, framing: 'content-length' } as const
        for (const executes of ['after', 'never'] as const) {
          yield { name: `an early ${status}, ${body.name}`, way, steps: [{ executes, response, atHead: true }] }
        }
      }
    }
    for (const [index, status] of [403, 413, 503].entries()) {
      for (const [how, end] of spread(Object.entries(ENDS), index, FORM)) {
        const response = (connection: Connection) => {
          connection.socket.pause()
          connection.socket.write(`HTTP/1.1 ${status} Early\r\ncontent-length: 0\r\n\r\n`, () => end(connection))
        }
        const steps: readonly Step[] = [{ executes: 'never', response, atHead: true }]
        yield { name: `an early ${status} that ends ${how}`, way, steps, nameLength: LONG_NAME }
      }
    }
  }
}
