import { idKey, scopeKey } from '../rules/key.ts'
import type { Database, Row } from './driver.ts'
import { scopeOf } from './rows.ts'
import { Statements } from './statements.ts'

/**
 * Changes all entries to the current spelling of keys. What blocked a send before the spelling changed must still block
 * it. Call it inside a transaction.
 */
export function respell(database: Database): void {
  const statements = new Statements(database)
  respellScopes(statements)
  respellSubjects(statements)
  for (const column of ['quiz_id', 'package_id']) respellIds(statements, column)
}

/* Merges scopes that become the same: the first takes the sends of the others. */
function respellScopes(statements: Statements): void {
  const firsts = new Map<string, { readonly id: number; readonly baseUrl: string; readonly account: string }>()
  for (const row of statements.all('SELECT id, base_url, account, world FROM scopes ORDER BY id')) {
    const id = row['id'] as number
    const scope = scopeKey(scopeOf(row))
    const spelling = JSON.stringify(scope)
    const first = firsts.get(spelling)
    if (first === undefined) {
      firsts.set(spelling, { id, ...scope })
      continue
    }
    statements.run('UPDATE sends SET scope = ? WHERE scope = ?', first.id, id)
    statements.run('UPDATE keys SET scope = ? WHERE scope = ?', first.id, id)
    statements.run('DELETE FROM scopes WHERE id = ?', id)
  }
  for (const { id, baseUrl, account } of firsts.values()) {
    statements.run('UPDATE scopes SET base_url = ?, account = ? WHERE id = ?', baseUrl, account, id)
  }
}

/* A send may have a subject in both spellings. */
function respellSubjects(statements: Statements): void {
  for (const subject of distinct(statements.all('SELECT DISTINCT subject AS text FROM keys'))) {
    const [kind = '', ...id] = subject.split(':')
    const key = `${kind}:${idKey(id.join(':'))}`
    if (key === subject) continue
    statements.run('UPDATE OR IGNORE keys SET subject = ? WHERE subject = ?', key, subject)
    statements.run('DELETE FROM keys WHERE subject = ?', subject)
  }
}

function respellIds(statements: Statements, column: string): void {
  for (const id of distinct(statements.all(`SELECT DISTINCT ${column} AS text FROM sends`))) {
    if (idKey(id) !== id) statements.run(`UPDATE sends SET ${column} = ? WHERE ${column} = ?`, idKey(id), id)
  }
}

function distinct(rows: readonly Row[]): string[] {
  return rows.flatMap(({ text }) => (typeof text === 'string' ? text : []))
}
