import { setMaxListeners } from 'node:events'
import type { Run } from '../campaign/create.ts'
import type { WorkerEvent, WorkerOptions, WorkerSummary } from './worker-options.ts'

/** The state of a worker: its counts, its events, and whether it goes on. */
export class WorkerRun implements Run {
  readonly #onEvent: (event: WorkerEvent) => void
  readonly #stopping = new AbortController()
  readonly #counts = { created: 0, already_invited: 0, refused: 0, unknown: 0, failed: 0 }
  #failure: { readonly error: unknown } | undefined

  constructor({ onEvent = () => {} }: Pick<WorkerOptions, 'onEvent'>) {
    this.#onEvent = onEvent
    /* Every wish that waits listens. Without this, Node warns of a leak. */
    setMaxListeners(0, this.#stopping.signal)
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  readonly stop = (): void => this.#stopping.abort()

  readonly end = (error: unknown): void => {
    this.#failure ??= { error }
    this.stop()
  }

  isEndedBy(error: unknown): boolean {
    return this.#failure !== undefined && this.#failure.error === error
  }

  readonly countFailure = (): void => {}

  readonly notify = (event: WorkerEvent): void => {
    if (event.type === 'wish' && event.state !== 'waiting') this.#counts[event.state] += 1
    try {
      this.#onEvent(event)
    } catch (error) {
      this.end(error)
    }
  }

  /** @throws the failure that ended it */
  counts(): WorkerSummary['counts'] {
    if (this.#failure !== undefined) throw this.#failure.error
    return { ...this.#counts }
  }
}
