import type { Outcome, PlainRequest } from '../api/exchange.ts'
import type { MockExchange, MockRequestLog } from '../contract/request-log.ts'
import { type Clock, isoTime } from '../world/clock.ts'
import type { ApiKey } from '../world/model.ts'

/** What the request log asks others about a request. */
export interface RequestLogSources {
  readonly clock: Clock
  readonly apiKeys: () => readonly ApiKey[]
  readonly sessionToken: string
  /** The operations that a request asks for. */
  readonly operations: (request: Pick<PlainRequest, 'method' | 'target' | 'body'>) => readonly string[]
  readonly onChange: () => void
}

/** Keeps the last requests of one mock. */
export class RequestLog implements MockRequestLog {
  readonly #sources: RequestLogSources
  readonly #entries: Entry[] = []
  #count = 0
  #known: { readonly keys: readonly ApiKey[]; readonly secrets: readonly Secret[] } | undefined
  /** Where the oldest entry is, once there are as many as there may be. */
  #oldest = 0

  constructor(sources: RequestLogSources) {
    this.#sources = sources
  }

  get dropped(): number {
    return this.#count - this.#entries.length
  }

  list(): MockExchange[] {
    const inOrder = [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)]
    return inOrder.map((entry) => this.#shown(entry))
  }

  clear(): void {
    this.#entries.length = 0
    this.#oldest = 0
    this.#sources.onChange()
  }

  /** Forgets that there ever was a request. */
  reset(): void {
    this.clear()
    this.#count = 0
  }

  /** Notes a request with its outcome. It costs little: what can be computed later is computed when somebody looks. */
  note(request: PlainRequest, outcome: Outcome, faulty: boolean): void {
    this.#count += 1
    const { method, target, body } = request
    const sent = request.header('x-api-key')
    const answer = 'answer' in outcome ? outcome.answer : null
    const secrets = this.#secrets()
    const entry: Entry = {
      number: this.#count,
      at: this.#sources.clock.now(),
      method,
      target: kept(target, secrets),
      key: sent === null ? null : (this.#sources.apiKeys().find(({ key }) => key === sent)?.name ?? null),
      body: body === null ? null : kept(body, secrets),
      isWhole: body !== null && body.length <= MOST_CHARACTERS,
      status: answer?.status ?? null,
      answer: answer && kept(answer.body, secrets),
      secrets,
      faulty,
    }
    if (this.#entries.length < CAPACITY) {
      this.#entries.push(entry)
    } else {
      this.#entries[this.#oldest] = entry
      this.#oldest = (this.#oldest + 1) % CAPACITY
    }
    this.#sources.onChange()
  }

  #shown({ at, isWhole, secrets, ...entry }: Entry): MockExchange {
    return {
      ...entry,
      at: isoTime(at),
      operations: isWhole ? this.#sources.operations(entry) : [],
      target: redacted(entry.target, secrets),
      body: entry.body && redacted(entry.body, secrets),
      answer: entry.answer && redacted(entry.answer, secrets),
    }
  }

  /** The longest first: one key may be the beginning of another. */
  #secrets(): readonly Secret[] {
    const { apiKeys, sessionToken } = this.#sources
    const keys = apiKeys()
    if (this.#known?.keys === keys) return this.#known.secrets
    const secrets = [...keys, { name: 'of the admin session', key: sessionToken }]
      .flatMap(({ name, key }) => [key, encodeURIComponent(key)].map((secret) => ({ name, secret })))
      .toSorted((a, b) => b.secret.length - a.secret.length)
    this.#known = { keys, secrets }
    return secrets
  }
}

interface Secret {
  readonly name: string
  readonly secret: string
}

interface Entry extends Omit<MockExchange, 'at' | 'operations'> {
  readonly at: number
  /** Whether the whole body is there. */
  readonly isWhole: boolean
  /** What is to be hidden when it is shown. */
  readonly secrets: readonly Secret[]
}

const CAPACITY = 1000

const MOST_CHARACTERS = 16_384

/**
 * The text as it is, or the beginning of one that is long: as a text of its own, which does not keep all the rest in memory,
 * and with its secrets hidden before one of them could be cut in two.
 */
function kept(text: string, secrets: readonly Secret[]): string {
  if (text.length <= MOST_CHARACTERS) return text
  return new TextDecoder().decode(new TextEncoder().encode(redacted(text, secrets).slice(0, MOST_CHARACTERS)))
}

/** The text with the names of keys in place of keys, also where they are percent-encoded. */
function redacted(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((safe, { name, secret }) => safe.replaceAll(secret, `[key ${name}]`), text)
}
