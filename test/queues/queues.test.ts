import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { createDatabase, sql } from '../postgres/server.mjs'
import { openBullMq } from './bullmq-queue.mjs'
import { installExample } from './examples.mjs'
import { openPgBoss } from './pg-boss-queue.mjs'
import { startRedis } from './redis.mjs'
import { surviveWithServers } from './run.mjs'
import { CALLBACK_URL, SECRET } from './survival.mjs'

const examples = ['pg-boss', 'bullmq'] as const
/* The program that adds jobs. */
const ADDS = { 'pg-boss': 'hire.mjs', bullmq: 'add.mjs' }
const root = join(import.meta.dirname, '../..')

describe.each(examples)('the %s example', (example) => {
  const folder = join(root, 'examples', example)
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')

  test('invites no candidate twice and loses none, whatever dies and however often a job is delivered', async () => {
    const figures = await surviveWithServers(example, { jobs: 240, kills: 12 })
    expect(figures).toMatchObject({ duplicates: 0, lost: 0, falsehoods: [], created: 240 - figures.refused })
    expect(figures.refused).toBeLessThan(40)
  })

  test('invites the candidate in its README once, even if the job is added twice', async () => {
    const { mock, run, queue } = await setting(example)
    const job = jobIn(readme)
    await ended(run(ADDS[example], job))
    await ended(run(ADDS[example], job))
    const worker = run('worker.mjs')
    /* BullMQ does not add the second: it has a job with this id. */
    const jobs = example === 'bullmq' ? 1 : 2
    await vi.waitFor(async () => expect((await queue.ends()).ended).toHaveLength(jobs), 120_000)
    worker.kill('SIGTERM')
    expect(await ended(worker)).toBe(0)
    const { ended: ends } = await queue.ends()
    const { reference, candidate } = JSON.parse(job)
    expect(mock.invites).toMatchObject([{ candidate }])
    const inviteIds = mock.invites.map(({ inviteId }) => inviteId)
    for (const end of ends) expect(end).toEqual({ reference, status: 'created', inviteIds })
  })

  test('lists every variable that its programs need in its README', () => {
    const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
    const code = programs.map((name) => readFileSync(join(folder, name), 'utf8')).join('')
    const variables = new Set([...code.matchAll(/\b[A-Z]+_[A-Z_]+\b/g)].map(([name]) => name))
    expect(variables.size).toBeGreaterThan(3)
    expect([...variables].filter((name) => !readme.includes(`export ${name}=`))).toEqual([])
  })

  test('stays short, and allows the versions that it is tested with', () => {
    for (const name of ['README.md', 'worker.mjs', ADDS[example]]) {
      expect(readFileSync(join(folder, name), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(60)
    }
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const tested = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')).devDependencies
    const names = Object.keys(dependencies).filter((name) => name !== 'certify-sdk' && name !== 'pg')
    expect(names.map((name) => dependencies[name])).toEqual(names.map((name) => `^${tested[name]}`))
  })
})

test.each([
  ['hire', 'AFTER INSERT ON hires DEFERRABLE INITIALLY DEFERRED'],
  ['job', 'AFTER INSERT ON pgboss.job'],
])('a hire and the job for its invite are saved atomically: the %s fails', async (_what, when) => {
  const { run, databaseUrl } = await setting('pg-boss')
  const job = jobIn(readFileSync(join(root, 'examples/pg-boss/README.md'), 'utf8'))
  const saved = () =>
    sql(databaseUrl, "SELECT (SELECT count(*) FROM hires), (SELECT count(*) FROM pgboss.job WHERE name = 'invites')")
  expect(await ended(run('hire.mjs'))).toBe(0)
  await sql(
    databaseUrl,
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'failed'; END $$;
     CREATE CONSTRAINT TRIGGER fails ${when} FOR EACH ROW EXECUTE FUNCTION fail()`,
  )
  expect(await ended(run('hire.mjs', job))).toBe(1)
  expect(await saved()).toBe('0|0')
  await sql(databaseUrl, 'DROP FUNCTION fail CASCADE')
  expect(await ended(run('hire.mjs', job))).toBe(0)
  expect(await saved()).toBe('1|1')
})

/* A mock, the queue, and a way to run a program of an example with them. */
async function setting(example: (typeof examples)[number]) {
  const mock = createMockServer()
  const { url } = await mock.listen()
  onTestFinished(() => mock.close())
  const { folder, remove } = installExample(example)
  onTestFinished(remove)
  const databaseUrl = await createDatabase(inject('postgres').url)
  const redis = example === 'bullmq' ? await startRedis() : undefined
  if (redis !== undefined) onTestFinished(redis.stop)
  const queue = await (redis === undefined ? openPgBoss({ databaseUrl }) : openBullMq({ redisUrl: redis.url }))
  onTestFinished(queue.close)
  const env = {
    PATH: process.env['PATH'],
    CERTIFY_BASE_URL: url,
    CERTIFY_API_KEY: mock.apiKey,
    CALLBACK_URL,
    CALLBACK_SECRET: SECRET,
    DATABASE_URL: databaseUrl,
    ...queue.env,
  }
  const run = (program: string, input = '') => {
    const child = spawn(process.execPath, [program], { cwd: folder, env, stdio: ['pipe', 'inherit', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdin.end(input)
    return child
  }
  return { mock, run, queue, databaseUrl }
}

/* The line of input in the README. */
function jobIn(readme: string): string {
  return `${/^echo '(\{.*\})'/m.exec(readme)?.[1]}\n`
}

async function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}
