// SQLite in WebAssembly with the interface of `node:sqlite`, as far as the ledger needs it.
import initSqlite from 'sql.js/dist/sql-wasm-browser.js'

/**
 * The module for the ledger. All its connections are to one database, which lives as long as this tab.
 *
 * @param {ArrayBuffer} wasmBinary
 * @param {() => void} onChange called after each transaction that changed something
 */
export async function loadSqlite(wasmBinary, onChange) {
  const { Database } = await initSqlite({ wasmBinary })
  const disk = new Database()
  const all = (sql, values) => {
    const statement = disk.prepare(sql, values)
    const rows = []
    while (statement.step()) rows.push(statement.getAsObject())
    statement.free()
    return rows
  }
  const countChanges = () => disk.exec('SELECT total_changes()')[0].values[0][0]
  let writer
  let changes = 0
  /* Two connections of one process: while one is in a transaction, the other waits as it would for a file. */
  class DatabaseSync {
    exec(sql) {
      if (sql.startsWith('BEGIN')) {
        if (writer !== undefined) throw Object.assign(new Error('database is locked'), { errcode: 5 })
        writer = this
        changes = countChanges()
      }
      disk.exec(sql)
      if (!/^(COMMIT|ROLLBACK)$/.test(sql)) return
      writer = undefined
      if (countChanges() > changes) onChange()
    }
    prepare(sql) {
      return { all: (...values) => all(sql, values), run: (...values) => void all(sql, values) }
    }
    close() {}
  }
  return { DatabaseSync }
}
