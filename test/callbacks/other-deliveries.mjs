// @ts-check
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

const EVENT = { type: 'certification.completed', data: { inviteId: 'inv_other', result: 'PASSED' } }
const JSON_TYPE = { 'content-type': 'application/json' }
const ENCODED = { 'content-encoding': 'gzip' }
const FORGED = `${Buffer.from('forged').toString('base64url')}.${'A'.repeat(43)}`
const TOGETHER = 8

/** @typedef {{ path: string, method?: string, headers?: Record<string, string>, pieces?: readonly (string | Buffer)[], never?: true }} Delivery */

/**
 * Everything else that reaches a receiver: forgeries, invalid events, probes, slow senders, and one event many times
 * concurrently.
 */
export class OtherDeliveries {
  #origin
  #urls
  /** @type {Map<string, { sent: number, answers: Record<string, number> }>} */
  #kinds = new Map()
  /** @type {Set<string>} */
  #events = new Set()
  /** @type {string[]} */
  #wrong = []
  #rounds = 0
  /** @type {Promise<void>[]} */
  #running = []

  /** @param {string} origin @param {{ mint: (reference: string) => Promise<string> }} urls */
  constructor(origin, urls) {
    this.#origin = origin
    this.#urls = urls
  }

  /** Sends some of each kind, and does not wait for them. */
  begin() {
    this.#running.push(this.#round())
  }

  /* Each event is sent again until it is acknowledged. */
  async #round() {
    this.#rounds += 1
    const number = this.#rounds
    const path = new URL(await this.#urls.mint(`other-${number}`)).pathname
    const body = JSON.stringify(EVENT)
    const large = `"${'x'.repeat(5_000_000)}"`
    await Promise.all([
      this.#acknowledged(`evt_slow_${number}`, (pieces) =>
        this.#send('slow', [200, 408], { path, headers: JSON_TYPE, pieces }),
      ),
      this.#acknowledged(`evt_together_${number}`, async ([...pieces]) => {
        const whole = { path, headers: JSON_TYPE, pieces: [pieces.join('')] }
        const all = Array.from({ length: TOGETHER }, () => this.#send('together', [200], whole))
        return (await Promise.all(all)).find((status) => status === 200)
      }),
      ...Array.from({ length: 5 }, async () => {
        await this.#send('never ends', [408], { path, headers: JSON_TYPE, pieces: [body.slice(0, 20)], never: true })
      }),
      this.#send('forged token', [404], { path: `/certify/${FORGED}`, headers: JSON_TYPE, pieces: [body] }),
      this.#send('forged token, 5 MB', [404], { path: `/certify/${FORGED}`, headers: JSON_TYPE, pieces: [large] }),
      this.#send('5 MB', [413], { path, headers: JSON_TYPE, pieces: [large] }),
      this.#acknowledged(`evt_other_type_${number}`, (pieces) =>
        this.#send('other type', [200], { path, headers: { 'content-type': 'text/plain' }, pieces }),
      ),
      this.#acknowledged(`evt_encoded_${number}`, (pieces) =>
        this.#send('encoded', [200], { path, headers: ENCODED, pieces: [gzipSync(pieces.join(''))] }),
      ),
      this.#send('unknown encoding', [415], { path, headers: { 'content-encoding': 'x' }, pieces: ['x'] }),
      this.#send('bomb', [413], { path, headers: ENCODED, pieces: [gzipSync(large)] }),
      this.#send('no UTF-8', [400], { path, headers: JSON_TYPE, pieces: [Buffer.from([0x22, 0xff, 0xfe, 0x22])] }),
      this.#send('no JSON', [400], { path, headers: JSON_TYPE, pieces: [body.slice(0, -1)] }),
      this.#send('empty POST', [200], { path }),
      this.#send('GET', [200], { path, method: 'GET' }),
      this.#send('HEAD', [200], { path, method: 'HEAD' }),
    ])
  }

  /** Waits for the deliveries in flight. The receiver must be running. */
  async finish() {
    await Promise.all(this.#running)
    return { events: this.#events, kinds: Object.fromEntries(this.#kinds), wrong: this.#wrong }
  }

  /**
   * Delivers an event until it is acknowledged, as the service would.
   *
   * @param {string} id
   * @param {(pieces: readonly string[]) => Promise<number | undefined>} deliver
   */
  async #acknowledged(id, deliver) {
    this.#events.add(id)
    const pieces = JSON.stringify({ id, ...EVENT }).match(/.{1,10}/g) ?? []
    while ((await deliver(pieces)) !== 200) await wait(100)
  }

  /** @param {string} kind @param {readonly number[]} expected @param {Delivery} delivery */
  async #send(kind, expected, delivery) {
    const figures = this.#kinds.get(kind) ?? { sent: 0, answers: {} }
    this.#kinds.set(kind, figures)
    figures.sent += 1
    const status = await statusOf(this.#origin, delivery)
    /* A killed receiver does not answer. */
    const name = status === undefined ? 'none' : String(status)
    figures.answers[name] = (figures.answers[name] ?? 0) + 1
    if (status !== undefined && !expected.includes(status)) this.#wrong.push(`${kind}: ${status}`)
    return status
  }
}

/**
 * @param {string} origin @param {Delivery} delivery
 * @returns {Promise<number | undefined>}
 */
function statusOf(origin, { path, method = 'POST', headers = {}, pieces = [], never }) {
  return new Promise((resolve) => {
    const length =
      pieces.length > 1 || never
        ? {}
        : { 'content-length': Buffer.concat(pieces.map((piece) => Buffer.from(piece))).length }
    const sending = request(origin + path, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
      response.on('close', () => sending.destroy())
    })
    sending.on('error', () => resolve(undefined))
    sending.on('close', () => resolve(undefined))
    void write(sending, pieces, never === true)
  })
}

/** @param {import('node:http').ClientRequest} sending @param {readonly (string | Buffer)[]} pieces @param {boolean} never */
async function write(sending, pieces, never) {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await wait(5)
    sending.write(piece)
  }
  if (!never) sending.end()
}
