import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgresLedger, type PostgresClient } from '../../src/ledger/postgres/index.ts'
import * as ledgers from '../../src/ledger/postgres/index.ts'
import { createDatabase, sql } from './server.mjs'

const text = readFileSync(join(import.meta.dirname, '../../docs/outbox.md'), 'utf8')
const snippets = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)

test('the first example of docs/outbox.md saves and enqueues in one transaction, and its query counts', async () => {
  const { url, ledger } = await setting()
  const [example = ''] = snippets('ts')
  const body = example.replaceAll(/^import (.*) from '(.*)'$/gm, "const $1 = modules['$2']")
  const run = runInThisContext(`(async (modules, process) => {${body}; await pool.end(); await ledger.close()})`) as (
    modules: object,
    process: object,
  ) => Promise<void>
  await run(
    { pg: (await import('pg')).default, 'certify-sdk/ledger/postgres': ledgers },
    { env: { DATABASE_URL: url } },
  )
  expect(await sql(url, 'SELECT name FROM hires')).toBe('Ada Byron')
  expect(await ledger.outbox.find('hire-4711')).toMatchObject({ state: 'waiting', account: 'acme-production' })
  const [query = ''] = snippets('sql')
  expect(await sql(url, query)).toMatch(/^1\|\d\d:\d\d:\d\d.*\|0\|0$/)
})

test('the lines for other clients pass the statement and its argument on', async () => {
  const { url, ledger, client } = await setting()
  const line = (name: string) => new RegExp(`\\| ${name} \\| \`(.*)\` \\|`).exec(text)?.[1] ?? ''
  const made = (name: string, variables: Readonly<Record<string, unknown>>) =>
    (
      runInThisContext(`(${Object.keys(variables).join(', ')}) => (${line(name)})`) as (
        ...given: unknown[]
      ) => PostgresClient
    )(...Object.values(variables))
  /* Stand-ins with the marks and the shapes of these libraries. */
  const knex = { raw: (raw: string, values: unknown[]) => client.query(raw.replace('?', '$1'), values) }
  const prisma = {
    $queryRawUnsafe: async (raw: string, ...values: unknown[]) => (await client.query(raw, values)).rows,
  }
  const drizzle = Object.assign((_strings: TemplateStringsArray, value: unknown) => ({ value }), {
    raw: (part: string) => ({ part }),
    join: (parts: { readonly part: string }[], between: { readonly value: unknown }) => ({ parts, between }),
  })
  const execute = ({ parts, between }: ReturnType<typeof drizzle.join>) =>
    client.query(parts.map(({ part }) => part).join('$1'), [between.value])
  const clients = {
    knex: made('Knex', { trx: knex }),
    prisma: made('Prisma', { tx: prisma }),
    drizzle: made('Drizzle', { sql: drizzle, tx: { execute } }),
  }
  const input = { quizId: 'q', candidate: { name: 'Ada Byron', email: 'ada@example.com' } }
  for (const [reference, tx] of Object.entries(clients)) await ledger.enqueue(tx, input, { account: 'acme', reference })
  expect(await sql(url, 'SELECT string_agg(reference, $$ $$ ORDER BY id) FROM certify.certify_outbox')).toBe(
    'knex prisma drizzle',
  )
})

async function setting() {
  const url = await createDatabase(inject('postgres').url)
  await sql(url, 'CREATE TABLE hires (id text, name text)')
  const ledger = await openPostgresLedger({ url })
  onTestFinished(() => ledger.close())
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return { url, ledger, client }
}
