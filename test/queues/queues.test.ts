import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { compile, lend } from '../package/consumer.ts'
import { sql } from '../postgres/server.mjs'
import { OUTAGE_FAULTS, startFront } from '../wire/outage-front.ts'
import { installExample } from './examples.mjs'
import { JobBooks } from './job-books.mjs'
import { change, retrySoon } from './programs.mjs'
import { surviveWithServers } from './run.mjs'
import { ended, serveAs, setting } from './setting.ts'
import { jobOf } from './survival.mjs'

const examples = ['pg-boss', 'bullmq', 'dbos'] as const
/* The program that adds jobs. */
const ADDS = { 'pg-boss': 'hire.mjs', bullmq: 'add.mjs', dbos: 'hire.mjs' }
/* How many jobs a worker has at once, and the outages that it is tested with. */
const IN_FLIGHT = 4
const IN_QUEUES = new Set(['503', 'reset after it was executed', 'a bare 404'])
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
    /* BullMQ and DBOS do not add the second: they have one with this id. */
    const jobs = example === 'pg-boss' ? 2 : 1
    await vi.waitFor(async () => expect((await queue.ends()).ended).toHaveLength(jobs), 120_000)
    worker.kill('SIGTERM')
    expect(await ended(worker)).toBe(0)
    const { ended: ends } = await queue.ends()
    const { reference, candidate } = JSON.parse(job)
    expect(mock.invites).toMatchObject([{ candidate }])
    const inviteIds = mock.invites.map(({ inviteId }) => inviteId)
    for (const end of ends) expect(end).toEqual({ reference, status: 'created', inviteIds })
  })

  test.each(OUTAGE_FAULTS.filter(({ name }) => IN_QUEUES.has(name)))(
    'survives an outage, $name: jobs in flight are unknown, all others invite, and none twice',
    async (fault) => {
      const { mock, run, queue, copy } = await setting(example, async (served) => {
        const front = await startFront(served, false, async (creates) => {
          if (creates !== 11) return
          await front.begin(fault)
          /* The worker is another process, with a clock of its own. */
          setTimeout(() => void front.end(), 1_500)
        })
        onTestFinished(() => front.close())
        return front
      })
      change(copy, /([cC]oncurrency: |worker < )10/, `$1${IN_FLIGHT}`)
      retrySoon(copy)
      const jobs = Array.from({ length: 40 }, (_each, index) => jobOf(`hire-${index}`))
      await queue.add(jobs)
      run('worker.mjs')
      await vi.waitFor(async () => expect((await queue.ends()).ended).toHaveLength(jobs.length), 120_000)
      const books = new JobBooks(mock)
      const { unknown } = books.compare((await queue.ends()).ended)
      expect(unknown.length).toBeLessThanOrEqual(IN_FLIGHT)
      expect(books.figures(jobs.filter(({ reference }) => !unknown.includes(reference)))).toEqual({
        created: jobs.length - unknown.length,
        duplicates: 0,
        lost: 0,
        falsehoods: [],
      })
    },
  )

  test('a job whose key is rejected waits alone: a worker full of them invites the others', async () => {
    const { mock, run, queue } = await setting(example, (served) =>
      serveAs((_request, body) =>
        body.includes(`"${REJECTED}-`) ? new Response(UNAUTHENTICATED, { status: 401 }) : served,
      ),
    )
    const [rejected, others] = [REJECTED, 'hire'].map((name) =>
      Array.from({ length: 24 }, (_each, index) => jobOf(`${name}-${index}`)),
    )
    await queue.add([...(rejected ?? []), ...(others ?? [])])
    run('worker.mjs')
    await vi.waitFor(async () => expect((await queue.ends()).ended).toHaveLength(24), 120_000)
    const { ended: ends } = await queue.ends()
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'created'))
    expect(mock.invites.map(({ candidate }) => candidate.email).filter((email) => email.includes(REJECTED))).toEqual([])
    expect(mock.invites).toHaveLength(24)
  })

  test('compiles as strict TypeScript, except that parameters have no types in JavaScript', () => {
    const installed = installExample(example)
    onTestFinished(installed.remove)
    lend(installed.folder, '@types/pg')
    const flags = ['--allowJs', '--checkJs', '--noImplicitAny', 'false', '--skipLibCheck']
    const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
    expect(compile(installed.folder, installed.folder, [...flags, ...programs])).toBe('')
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

/* The service rejects the key of one tenant. */
const REJECTED = 'rejected'
const UNAUTHENTICATED = '{"errors":[{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}]}'

/* The line of input in the README. */
function jobIn(readme: string): string {
  return `${/^echo '(\{.*\})'/m.exec(readme)?.[1]}\n`
}
