// @ts-check
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { callbacks, ledgers, mocks, sdk } from '../ledger/built.mjs'
import { freePort } from '../postgres/supervised.mjs'
import { randomFrom } from '../queues/random.mjs'
import { OtherDeliveries } from './other-deliveries.mjs'

export const BASE_URL = 'https://app.example/certify'
export const SECRET = 'a secret of thirty-two characters'

/**
 * A receiver on node:http that is killed at random moments, while a mock delivers the events of many candidates with
 * duplicates, delays and refusals, and {@link OtherDeliveries} arrive as well.
 *
 * @param {{ candidates: number, kills: number, seed?: number }} options
 */
export async function receive({ candidates, kills, seed = randomInt(2 ** 31) }) {
  const random = randomFrom(seed).next
  console.log(`callbacks: seed ${seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'certify-callbacks-'))
  const [path, effects] = [join(folder, 'invites.ledger'), join(folder, 'effects.txt')]
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const mock = mocks.createMockServer({
    seed: `callbacks ${seed}`,
    callbacks: { hosts: { 'https://app.example': origin } },
  })
  for (const [fault, event, probability] of FAULTS) mock.faults.add({ event, fault, probability, times: 1_000_000 })
  const urls = callbacks.callbackUrls({ baseUrl: BASE_URL, secrets: [SECRET] })
  const receiver = new Receiver(port, path, effects)
  const others = new OtherDeliveries(origin, urls)
  try {
    await receiver.start()
    await invite(mock, urls, path, candidates)
    let killed = 0
    const open = () => mock.callbacks.list().filter(({ status }) => status === 'waiting' || status === 'given-up')
    while (open().length > 0 || killed < kills) {
      others.begin()
      await Promise.race([mock.settle(), wait(random() * 120)])
      /* Killed at any moment of what has begun, and often after most of it. */
      if (killed < kills) await wait(random() * 200)
      if (killed < kills) {
        killed += 1
        await receiver.restart()
      }
      if (killed === kills) mock.faults.clear()
      await mock.clock.advance('20s')
      /* Given up, or behind an event that never arrives. */
      for (const { id, status, nextAttemptAt } of open()) {
        const isStuck = status === 'given-up' || (killed === kills && nextAttemptAt === null)
        if (isStuck) mock.callbacks.redeliver(id)
      }
    }
    others.begin()
    const { events, ...answered } = await others.finish()
    await wait(600)
    await receiver.stop()
    const ofCandidates = mock.callbacks.list().map(({ id }) => id)
    return {
      ofCandidates: ofCandidates.length,
      ...(await figuresOf(new Set([...ofCandidates, ...events]), path, effects)),
      kills: killed,
      deliveries: deliveriesOf(mock),
      ...answered,
    }
  } finally {
    receiver.kill()
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const CLAIMED = 'certification.follow_up_claimed'

/** @type {readonly (readonly [any, any, number])[]} */
const FAULTS = [
  ['duplicate', 'any', 0.2],
  ['refuse', 'any', 0.1],
  [{ delay: '5s' }, 'any', 0.1],
]

class Receiver {
  #args
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child

  /** @param {number} port @param {string} path @param {string} effects */
  constructor(port, path, effects) {
    this.#args = [join(import.meta.dirname, 'receiver.mjs'), String(port), path, effects]
  }

  async start() {
    const child = spawn(process.execPath, this.#args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    await once(createInterface(child.stdout), 'line')
  }

  async restart() {
    this.kill()
    await this.start()
  }

  kill() {
    this.#child?.kill('SIGKILL')
  }

  async stop() {
    const child = this.#child
    if (child === undefined) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

/** @param {import('../../mock-server/index.ts').MockServer} mock @param {any} urls @param {string} path @param {number} candidates */
async function invite(mock, urls, path, candidates) {
  const ledger = await ledgers.openLedger(path)
  const { baseUrl, apiKey, fetch } = mock
  const client = new sdk.CertifyClient({ baseUrl, apiKey, fetch, ledger, callbacks: urls })
  for (let first = 0; first < candidates; first += 50) {
    const numbers = Array.from({ length: Math.min(50, candidates - first) }, (_each, index) => first + index)
    const invites = await Promise.all(
      numbers.map((number) =>
        client.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email: `c${number}@example.com` } }),
      ),
    )
    for (const { challengeUrl } of invites) {
      mock.open(challengeUrl).fail()
      mock.open(mock.open(challengeUrl).claim('retake').challengeUrl).pass()
    }
  }
  await ledger.close()
}

/** @param {import('../../mock-server/index.ts').MockServer} mock */
function deliveriesOf(mock) {
  return mock.callbacks.list().reduce((sum, { attempts }) => sum + attempts.length, 0)
}

/** @param {ReadonlySet<string>} genuine @param {string} path @param {string} effects */
async function figuresOf(genuine, path, effects) {
  const ledger = await ledgers.openLedger(path)
  /** @type {Record<string, number>} */
  const states = {}
  for await (const { state } of ledger.inbox.list()) states[state] = (states[state] ?? 0) + 1
  const { problems } = await ledger.check()
  await ledger.close()
  const lines = existsSync(effects) ? readFileSync(effects, 'utf8').trimEnd().split('\n') : []
  /** @type {Map<string, number>} */
  const times = new Map()
  /** @type {Map<string, string[]>} */
  const byReference = new Map()
  for (const line of lines) {
    const [id = '', reference = '', what = ''] = line.split(' ')
    times.set(id, (times.get(id) ?? 0) + 1)
    if (times.get(id) === 1) byReference.set(reference, [...(byReference.get(reference) ?? []), what])
  }
  const disordered = [...byReference.values()].filter((order) => order.indexOf(CLAIMED) > order.indexOf('PASSED'))
  return {
    events: genuine.size,
    handled: states['handled'] ?? 0,
    unhandled: lines.length === 0 ? genuine.size : [...genuine].filter((id) => !times.has(id)).length,
    foreign: [...times.keys()].filter((id) => !genuine.has(id)).length,
    /* `onEvent` ran again, because the receiver was killed before it could record the end. */
    repeated: [...times.values()].filter((count) => count > 1).length,
    disordered: disordered.length,
    problems,
  }
}
