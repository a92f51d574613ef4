import type { Done, Reply, PlainRequest, SelectedOperation } from '../api/exchange.ts'
import { MAX_HIDDEN_KEYS, MAX_LOGGED_CHARACTERS, MAX_LOGGED_REQUESTS } from '../contract/limits.ts'
import type { MockRequestLog } from '../contract/members.ts'
import type { Fault, MockExchange } from '../generated/contract.ts'
import { isoTime } from '../world/clock.ts'
import { literalPattern } from '../world/text-patterns.ts'
import type { World } from '../world/world.ts'
import type { FaultDue } from './faults.ts'

export interface RequestLogSettings {
  readonly world: World
  readonly onChange: () => void
}

/** What the log knows of a request besides its row. */
export interface SentWith {
  /** The log has the whole address and body. */
  readonly isWhole: boolean
  readonly adminSession: boolean
  /** It had a key or a session that this world does not know. */
  readonly unknownCredentials: boolean
  /** The fault that hit it. */
  readonly fault: Fault | null
}

/** A request in the log. Its row is made at the first look, and kept: it never changes. */
export interface LogEntry {
  readonly number: number
  readonly at: number
  readonly createdInviteIds: readonly string[]
  readonly operations: readonly SelectedOperation[]
  /** What it can be filtered by: what became of it, and its key. Needs no row. */
  readonly labels: () => string[]
  readonly sentWith: () => SentWith
  readonly row: () => MockExchange
}

/** Keeps the last requests of one mock. */
export class RequestLog implements MockRequestLog {
  readonly #settings: RequestLogSettings
  readonly #entries: LogEntry[] = []
  /** The name of every key that the worlds of this mock have had: a client may still send an old one. */
  readonly #keyNames = new Map<string, string>()
  /** What is shown instead of each secret. */
  readonly #shown = new Map<string, string>()
  /** Every secret, longest first: one key may be the beginning of another. */
  #secrets = /(?!)/g
  #count = 0

  constructor(settings: RequestLogSettings) {
    this.#settings = settings
    this.#noteKeys()
  }

  get dropped(): number {
    return this.#count - this.#entries.length
  }

  list(): MockExchange[] {
    return this.#entries.map(({ row }) => ({ ...row() }))
  }

  /** The requests of the log, oldest first. */
  all(): readonly LogEntry[] {
    return this.#entries
  }

  clear(): void {
    this.#entries.length = 0
    this.#settings.onChange()
  }

  /** Also restarts the numbering at 1, and learns the keys of the present world. */
  reset(): void {
    this.clear()
    this.#count = 0
    this.#noteKeys()
  }

  #noteKeys(): void {
    const { apiKeys, sessionToken } = this.#settings.world
    const present = [{ name: 'of the admin session', key: sessionToken }, ...apiKeys]
    for (const { name, key } of present) {
      // The newest ones are last.
      this.#keyNames.delete(key)
      this.#keyNames.set(key, name)
    }
    const most = Math.max(MAX_HIDDEN_KEYS, present.length)
    for (const key of [...this.#keyNames.keys()].slice(0, -most)) this.#keyNames.delete(key)
    this.#shown.clear()
    for (const [key, name] of this.#keyNames) {
      const shown = `[key ${name}]`
      // What is shown also maps to itself, because a short key may be a part of it.
      for (const text of [key, encodeURIComponent(key), shown]) this.#shown.set(text, shown)
    }
    const longestFirst = [...this.#shown.keys()].toSorted((a, b) => b.length - a.length)
    this.#secrets = new RegExp(longestFirst.map(literalPattern).join('|'), 'g')
  }

  /** Notes a request with its reply. It is fast: redaction waits until somebody reads the log. */
  note(request: PlainRequest, reply: Reply, { due, done, createdInviteIds }: Served): void {
    this.#count += 1
    const { world, onChange } = this.#settings
    const { method, target, body } = request
    const sent = request.header('x-api-key')
    const response = 'response' in reply ? reply.response : null
    const textOrNull = (text: string | null | undefined) => (text ? this.#clipped(text) : null)
    const operations = done.operations.map(({ name, email, subject }) => {
      return { name, email: textOrNull(email), subject: textOrNull(subject) }
    })
    const raw: RawEntry = {
      number: this.#count,
      at: world.clock.now(),
      method,
      target: this.#clipped(target),
      key: sent === null ? null : (world.apiKeys.find(({ key }) => key === sent)?.name ?? null),
      body: body === null ? null : this.#clipped(body),
      isWhole: body !== null && body.length <= MAX_LOGGED_CHARACTERS && target.length <= MAX_LOGGED_CHARACTERS,
      status: response?.status ?? null,
      response: response && this.#clipped(response.body),
      code: textOrNull(done.refusal?.code),
      reason: textOrNull(done.refusal?.message),
      operations,
      headers: request.headers(),
      createdInviteIds,
      faulty: due !== null,
      faultId: due?.id ?? null,
      faultPhase: due?.phase ?? null,
    }
    this.#entries.push(this.#entryOf(raw, due?.fault ?? null))
    if (this.#entries.length > MAX_LOGGED_REQUESTS) this.#entries.shift()
    onChange()
  }

  /** Separate from `note`: a closure made there would keep the whole request in memory, with its body. */
  #entryOf(raw: RawEntry, fault: Fault | null): LogEntry {
    const { number, at, createdInviteIds, operations } = raw
    let row: MockExchange | undefined
    return {
      number,
      at,
      createdInviteIds,
      operations,
      labels: () => labelsOf(raw, fault),
      sentWith: () => ({ fault, ...this.#credentialsOf(raw) }),
      row: () => (row ??= this.#rowOf(raw)),
    }
  }

  #credentialsOf({ headers, key, isWhole }: RawEntry): Omit<SentWith, 'fault'> {
    // A browser that signed in to the page sends basic authentication with everything.
    const session = /^bearer +(.+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? null
    const adminSession = session === this.#settings.world.sessionToken
    const isUnknownKey = headers['x-api-key'] !== undefined && key === null
    return { isWhole, adminSession, unknownCredentials: isUnknownKey || (session !== null && !adminSession) }
  }

  #rowOf({ at, isWhole: _isWhole, headers, operations, ...raw }: RawEntry): MockExchange {
    const email = operations.find((each) => each.email !== null)?.email ?? null
    return {
      ...raw,
      at: isoTime(at),
      operations: operations.map(({ name }) => name),
      email: email && this.#redacted(email),
      code: raw.code && this.#redacted(raw.code),
      reason: raw.reason && this.#redacted(raw.reason),
      target: this.#redacted(raw.target),
      body: raw.body && this.#redacted(raw.body),
      response: raw.response && this.#redacted(raw.response),
      headers: this.#shownHeaders(headers),
      reference: headers['x-client-reference'] ?? null,
    }
  }

  /** Known keys by name, and no other credentials. All are searched at once: no header has a line break. */
  #shownHeaders(headers: RawEntry['headers']): RawEntry['headers'] {
    const values = this.#redacted(Object.values(headers).join('\n')).split('\n')
    const shown = Object.entries(headers).map(([name, value], index) => {
      const isHidden = CREDENTIALS.test(name) && values[index] === value
      return [name, isHidden ? '(hidden)' : this.#clipped(values[index] ?? '')]
    })
    return Object.fromEntries(shown)
  }

  /**
   * The text, or the beginning of a long one. The beginning is a copy, so that the rest can leave memory. Its secrets are
   * hidden before one of them could be cut in two.
   */
  #clipped(text: string): string {
    if (text.length <= MAX_LOGGED_CHARACTERS) return text
    return new TextDecoder().decode(new TextEncoder().encode(this.#redacted(text).slice(0, MAX_LOGGED_CHARACTERS)))
  }

  /** The text with the names of keys instead of keys, percent-encoded ones included. */
  #redacted(text: string): string {
    return text.replaceAll(this.#secrets, (secret) => this.#shown.get(secret) ?? '')
  }
}

interface Served {
  readonly due: FaultDue | null
  readonly done: Done
  readonly createdInviteIds: readonly string[]
}

/** A request as it was noted: its keys are not yet hidden. */
interface RawEntry extends Omit<MockExchange, 'at' | 'operations' | 'email' | 'reference'> {
  readonly at: number
  readonly operations: readonly SelectedOperation[]
  readonly isWhole: boolean
}

/** What a list of requests can be filtered by, besides the keys: always in this order. */
export const REQUEST_LABELS = ['failed', 'refused', 'response-lost', 'throttled', 'fault', 'created'] as const

function labelsOf({ status, code, key, createdInviteIds }: RawEntry, fault: Fault | null): string[] {
  const isLost = typeof fault === 'string'
  const isThrottled = status === 429
  const holds = {
    failed: isLost || code !== null || (status ?? 500) >= 400,
    refused: code !== null && fault === null && !isThrottled,
    'response-lost': isLost,
    throttled: isThrottled,
    fault: fault !== null,
    created: createdInviteIds.length > 0,
  }
  return [...REQUEST_LABELS.filter((label) => holds[label]), key === null ? 'no key' : `key ${key}`]
}

/** Headers that may have a secret which the mock does not know. */
const CREDENTIALS = /authorization|cookie|api-?key|token|secret|session|password/
