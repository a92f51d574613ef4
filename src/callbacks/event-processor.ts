import { type Clock, MAX_TIMER_MS } from '../clock.ts'
import type { DueEvent, Inbox, InboxResult } from './inbox.ts'

export interface ProcessorSettings {
  readonly inbox: Inbox
  readonly clock: Clock
  readonly concurrency: number
  /** How long a taken event is reserved for this process. After a crash, it is due again once this has passed. */
  readonly leaseMs: number
  /** Handles an event; a rejection is a failure. */
  readonly handle: (event: DueEvent) => Promise<InboxResult>
  /** Called after a failure, and if the inbox fails. Must not throw. */
  readonly onFailure: (error: unknown, event: DueEvent | undefined) => void
}

/* The wait after each failure. An event that fails once more is a dead letter (`failed`). */
const RETRY_WAITS_MS = [1_000, 5_000, 30_000, 300_000, 3_600_000]

/* Something else than an error may be thrown, and reading it may throw, too. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, MAX_MESSAGE_LENGTH)
  } catch {
    return ''
  }
}

const MAX_MESSAGE_LENGTH = 200

/* The wait after a failure of the inbox itself. */
const INBOX_WAIT_MS = 5_000

/** Handles inbox events as they become due: several at a time, but events of one reference in order. */
export class EventProcessor {
  readonly #settings: ProcessorSettings
  readonly #workers = new Set<Promise<void>>()
  #stopTimer = () => {}
  #isClosed = false
  #isWoken = false

  constructor(settings: ProcessorSettings) {
    this.#settings = settings
  }

  /** Looks for events that are due. */
  wake(): void {
    this.#isWoken = true
    if (this.#isClosed || this.#workers.size >= this.#settings.concurrency) return
    const worker = this.#work().finally(() => {
      this.#workers.delete(worker)
      if (this.#workers.size === 0 && this.#isWoken) this.wake()
    })
    this.#workers.add(worker)
  }

  /** Waits until no event is due. */
  async drain(): Promise<void> {
    this.wake()
    while (this.#workers.size > 0) await Promise.all(this.#workers)
  }

  /** Stops taking events, and waits for the ones being handled. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopTimer()
    while (this.#workers.size > 0) await Promise.all(this.#workers)
  }

  async #work(): Promise<void> {
    const { inbox, clock, leaseMs, onFailure } = this.#settings
    try {
      for (let settled: Promise<void> | undefined; ; ) {
        this.#isWoken = false
        /* Settled together with taking the next event: the disk takes as long for both as for one. */
        const [event] = await Promise.all([this.#isClosed ? undefined : inbox.take(clock.now(), leaseMs), settled])
        if (event === undefined) {
          if (settled === undefined) break
          /* The look-up may have come before the settlement that frees the next event. */
          settled = undefined
          continue
        }
        /* Events of other references are handled at the same time. */
        this.wake()
        settled = inbox.settle(event.key, await this.#resultOf(event))
      }
      if (this.#workers.size <= 1) this.#wakeAt(await inbox.nextDueAt())
    } catch (error) {
      onFailure(error, undefined)
      this.#isWoken = false
      this.#wakeAt(clock.now() + INBOX_WAIT_MS)
    }
  }

  async #resultOf(event: DueEvent): Promise<InboxResult> {
    const { clock, handle, onFailure } = this.#settings
    try {
      return await handle(event)
    } catch (error) {
      onFailure(error, event)
      const waitMs = RETRY_WAITS_MS[event.failures]
      const message = messageOf(error)
      if (waitMs === undefined) return { state: 'failed', error: message }
      return { state: 'waiting', dueAt: clock.now() + waitMs, error: message }
    }
  }

  #wakeAt(time: number | undefined): void {
    this.#stopTimer()
    if (time === undefined || this.#isClosed) return
    const { clock } = this.#settings
    const waitMs = Math.min(Math.max(1, time - clock.now()), MAX_TIMER_MS)
    /* An event that is due later must not keep a program running. */
    this.#stopTimer = clock.startTimer(waitMs, () => this.wake(), true)
  }
}
