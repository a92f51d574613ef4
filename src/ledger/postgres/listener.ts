import type { Client } from 'pg'

/**
 * Listens to a channel. A connection that ended is opened again at the next {@link Listener.connect}. Nobody may rely on
 * notifications: some are lost, and a pooler between may pass on none.
 */
export class Listener {
  readonly #newClient: () => Client
  readonly #channel: string
  readonly #onNotification: (payload: string) => void
  #client: Client | undefined
  #isClosed = false

  constructor(newClient: () => Client, channel: string, onNotification: (payload: string) => void) {
    this.#newClient = newClient
    this.#channel = channel
    this.#onNotification = onNotification
  }

  /** Connects, unless it is connected. Resolves with whether it has connected now: others were notified before. */
  async connect(): Promise<boolean> {
    if (this.#client !== undefined || this.#isClosed) return false
    let client: Client
    try {
      client = this.#newClient()
    } catch {
      /* A file of certificates may be missing just now. */
      return false
    }
    this.#client = client
    const forget = () => {
      if (this.#client === client) this.#client = undefined
    }
    client.on('notification', ({ payload = '' }) => this.#onNotification(payload))
    client.on('end', forget)
    /* After an error it may not end by itself. */
    client.on('error', () => {
      forget()
      client.end().catch(() => {})
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${this.#channel}`)
      return true
    } catch {
      forget()
      await client.end().catch(() => {})
      return false
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#client?.end().catch(() => {})
  }
}
