import type { Connection, PoolClient, Submittable } from 'pg'
import type { Row, Value } from './database.ts'

/** The result of a statement. */
export interface Result {
  readonly rows: readonly Row[]
  /** As in `COMMIT`, or `INSERT 0 1`. */
  readonly command: string
}

interface Statement {
  readonly text: string
  readonly values: (string | Buffer | null)[]
  readonly rows: Row[]
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Statements in one round trip, as in the pipeline mode of libpq: they leave in one packet with one Sync at its end, and
 * the server responds to all at once. After an error it skips the rest. pg has each statement sent, and responded to, by
 * itself, which takes twice the CPU time.
 */
export class Batch implements Submittable {
  /** pg replaces it: calling it stops the timer of `query_timeout`. */
  callback: ((error?: unknown) => void) | undefined
  readonly #client: PoolClient
  #statements: Statement[] = []
  #fields: readonly Field[] = []

  constructor(client: PoolClient) {
    this.#client = client
  }

  /** Adds a statement, before the batch is submitted. */
  add(text: string, values: readonly Value[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#statements.push({ text, values: values.map(written), rows: [], resolve, reject })
    })
  }

  submit(connection: Connection): void {
    connection.stream.cork()
    for (const { text, values } of this.#statements) {
      connection.parse({ name: '', text, types: [] }, true)
      connection.bind({ values }, true)
      connection.describe({ type: 'P' }, true)
      connection.execute(null, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#fields = fields
  }

  handleDataRow({ fields: texts }: { readonly fields: readonly (string | null)[] }): void {
    const columns = this.#fields.map(({ name, dataTypeID }, at) => {
      const text = texts[at]
      return [name, dataTypeID === BYTEA && text !== null ? this.#client.getTypeParser(BYTEA)(text) : text] as const
    })
    this.#statements[0]?.rows.push(Object.fromEntries(columns))
  }

  handleCommandComplete({ text: command }: { readonly text: string }): void {
    const { rows = [], resolve } = this.#statements.shift() ?? {}
    resolve?.({ rows, command })
  }

  handleReadyForQuery(): void {
    this.callback?.()
  }

  handleError(error: unknown): void {
    for (const { reject } of this.#statements.splice(0)) reject(error)
    this.callback?.(error)
  }
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

const BYTEA = 17

function written(value: Value): string | Buffer | null {
  if (value instanceof Uint8Array) return Buffer.from(value)
  return (value ?? null) === null ? null : String(value)
}
