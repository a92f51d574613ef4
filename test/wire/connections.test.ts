import { expect, test } from 'vitest'
import { clientBy } from '../src/clock.ts'
import { bytesOf } from './answers.ts'
import { type Body, failing, HTML, NOTHING, succeeding } from './bodies.ts'
import { create, stallClock } from './exchange.ts'
import { openFetch } from './fetches.ts'
import { FORM, spread, WAYS } from './matrix.ts'
import { referenceOf, run } from './run.ts'
import type { Ended, Scenario, Way } from './scenario.ts'
import { type Connection, type Step, startService } from './service.ts'
import { Tally } from './tally.ts'
import { judge } from './truth.ts'

const CREATED = { status: 200, body: succeeding('data whole'), framing: 'content-length' } as const
const KEPT = WAYS.filter(({ keeps }) => keeps)

test('a kept connection that ends as the next request begins is no proof of anything', async () => {
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
        yield { name: `ends ${how} ${when}`, way, steps: [{ executes: 'before', answer: CREATED }], afterListing }
      }
      for (const executes of ['before', 'never'] as const) {
        for (const atHead of [false, true]) {
          yield { name: `ends ${how} at a request, atHead ${atHead}`, way, steps: [{ executes, answer: end, atHead }] }
        }
      }
    }
  }
}

test('an answer before the end of the request does not say what happens after it', async () => {
  const tally = await run(earlyAnswers())
  console.log(tally.report('early answers'))
  expect(tally.breaches()).toEqual([])
})

/* More than a connection takes before the service reads. */
const LONG_NAME = 5_000_000

function* earlyAnswers(): Generator<Scenario> {
  for (const way of WAYS) {
    for (const status of [200, 302, 400, 408, 413, 429, 503]) {
      for (const body of [NOTHING, HTML, failing('no data', ['FORBIDDEN', 'a child']), succeeding('data whole')]) {
        const answer = { status, body, framing: 'content-length' } as const
        for (const executes of ['after', 'never'] as const) {
          yield { name: `an early ${status}, ${body.name}`, way, steps: [{ executes, answer, atHead: true }] }
        }
      }
    }
    for (const [index, status] of [403, 413, 503].entries()) {
      for (const [how, end] of spread(Object.entries(ENDS), index, FORM)) {
        const answer = (connection: Connection) => {
          connection.socket.pause()
          connection.socket.write(`HTTP/1.1 ${status} Early\r\ncontent-length: 0\r\n\r\n`, () => end(connection))
        }
        const steps: readonly Step[] = [{ executes: 'never', answer, atHead: true }]
        yield { name: `an early ${status} that ends ${how}`, way, steps, nameLength: LONG_NAME }
      }
    }
  }
}

test('one answer too many on a kept connection is nobody’s answer', async () => {
  const tally = new Tally()
  for (const way of KEPT) {
    for (const [name, answers] of Object.entries(TWICE)) {
      for (const delayMs of [0, 1, 2]) {
        for (let round = 0; round < ROUNDS; round += 1) {
          await answerTwice(way, `${name}, ${delayMs} ms later`, answers, delayMs, tally)
        }
      }
    }
  }
  console.log(tally.report('one answer too many'))
  expect(tally.breaches()).toEqual([])
})

const ROUNDS = FORM === 'long' ? 40 : 2

interface Twice {
  readonly executes: Step['executes']
  readonly first: readonly [status: number, body: Body]
  readonly second: readonly [status: number, body: Body]
}

const INVITE = [200, succeeding('data whole')] as const
const REFUSAL = [200, failing('data null', ['BAD_USER_INPUT', 'the field'])] as const
const TWICE: Readonly<Record<string, Twice>> = {
  'an invite twice': { executes: 'before', first: INVITE, second: INVITE },
  'a refusal twice': { executes: 'never', first: REFUSAL, second: REFUSAL },
  'a 403 twice': { executes: 'never', first: [403, HTML], second: [403, HTML] },
  'a 504 and the invite': { executes: 'before', first: [504, HTML], second: INVITE },
}

/* Calls one after another on one connection; the third has two answers. */
async function answerTwice(way: Way, name: string, twice: Twice, delayMs: number, tally: Tally): Promise<void> {
  const service = await startService(way)
  const { fetch, close } = openFetch(way.fetch, way)
  const clock = stallClock()
  const client = clientBy(clock.runtime, { baseUrl: service.url, apiKey: 'ck_1', ...(fetch && { fetch }) })
  const ended: Ended[] = []
  for (let count = 1; count <= 12; count += 1) {
    const reference = `${new URL(service.url).port}-${referenceOf(count)}`
    const answerBoth: Step['answer'] = ({ socket }, { invite }) => {
      const [first, second] = [twice.first, twice.second].map(([status, body]) =>
        bytesOf({ status, body, framing: 'content-length' }, invite, true),
      )
      socket.write(first ?? '')
      setTimeout(() => socket.write(second ?? ''), delayMs)
    }
    const step: Step =
      count === 3 ? { executes: twice.executes, answer: answerBoth } : { executes: 'before', answer: CREATED }
    /* One invite twice shows, but only once: at the first call that gets that of another candidate. */
    const isSilent = twice !== TWICE['an invite twice'] || ended.some(({ told }) => told.code === 'RESPONSE_MISMATCHED')
    const followsExtraAnswer = count > 3 && isSilent
    const scenario = { name: `call ${count}: ${name}`, way, steps: [step], followsExtraAnswer }
    const record = service.expect(reference, { steps: scenario.steps, onStall: clock.ring })
    ended.push({ scenario, reference, record, told: await create(client, reference) })
  }
  clock.stop()
  close()
  await service.close()
  for (const call of ended) tally.add(call, judge(call.record, call.scenario, call.told))
}
