import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { startPgBouncer } from './pgbouncer.mjs'
import { createDatabase, sql, startPostgres } from './server.mjs'

test('each database of the shared server is new and empty', async () => {
  const { url } = inject('postgres')
  const databases = await Promise.all([createDatabase(url), createDatabase(url)])
  for (const database of databases) await sql(database, 'CREATE TABLE one (id int)')
  expect(new Set(databases).size).toBe(2)
})

test('what a server has confirmed is there after it was killed and started again on the same port', async () => {
  const postgres = await startPostgres()
  onTestFinished(postgres.stop)
  await sql(postgres.url, 'CREATE TABLE one (id int); INSERT INTO one VALUES (7)')
  await postgres.kill()
  await expect(sql(postgres.url, 'SELECT 1')).rejects.toThrow('refused')
  await postgres.start()
  expect(await sql(postgres.url, 'SELECT id FROM one')).toBe('7')
})

test('PgBouncer has every database of its server', async () => {
  const postgres = inject('postgres')
  const pgBouncer = await startPgBouncer(postgres)
  onTestFinished(pgBouncer.stop)
  const database = await createDatabase(postgres.url)
  expect(await sql(pgBouncer.urlOf(database), 'SELECT current_database()')).toBe(new URL(database).pathname.slice(1))
})

test('a server ends, and its data disappear, when its process is killed', async () => {
  const program = `
    import { startPostgres } from ${JSON.stringify(new URL('server.mjs', import.meta.url).href)}
    const { url, folder } = await startPostgres()
    console.log(JSON.stringify({ url, folder }))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url, folder } = JSON.parse(line) as { readonly url: string; readonly folder: string }
  expect(await sql(url, 'SELECT 1')).toBe('1')
  child.kill('SIGKILL')
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), 20_000)
  await expect(sql(url, 'SELECT 1')).rejects.toThrow('refused')
})
