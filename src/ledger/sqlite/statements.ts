import type { Database, Row, Statement, Value } from './driver.ts'

/** The statements of one connection, each prepared once. */
export class Statements {
  readonly #database: Database
  readonly #prepared = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  /** Returns the number of the new row. */
  insert(sql: string, ...values: readonly Value[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid)
  }

  one(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  all(sql: string, ...values: readonly Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  #statement(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}
