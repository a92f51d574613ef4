import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { sql } from '../postgres/server.mjs'
import { freePort } from '../postgres/supervised.mjs'
import { queuePackage } from './examples.mjs'
import { emailOf } from './job-books.mjs'
import { retrySoon } from './programs.mjs'
import { ended, serveAs, setting } from './setting.ts'
import { jobOf } from './survival.mjs'

const WAIT = { timeout: 120_000 }
/* Two tenants, each with its service; one of them has moved. */
const [OLD, NEW, GLOBEX] = ['https://old.acme.example', 'https://new.acme.example', 'https://globex.example']

test('tenants share a queue, a ledger and people, and each has its own service, key, invites and events', async () => {
  const { acme, globex, worker, queue, add, tried, query, certify, copy } = await tenants('revoked')
  writeFileSync(join(copy, 'old.csv'), `email,quiz_id\n${emailOf('joan')},${jobOf('').quizId}\n`)
  await certify('import', 'old.csv', '--account', 'acme', '--base-url', OLD, '--yes')
  await add('acme', 'ada', 'joan')
  await add('globex', 'ada', 'joan')
  await vi.waitFor(async () => expect(await queue.ends()).toMatchObject({ open: 2, ended: { length: 2 } }), WAIT)
  await vi.waitFor(async () => expect(await tried()).toEqual(['globex.ada', 'globex.joan']), WAIT)
  expect([invited(acme), invited(globex)]).toEqual([['ada'], []])

  await query(`UPDATE tenants SET api_key = '${globex.apiKey}' WHERE name = 'globex'`)
  await vi.waitFor(async () => expect((await queue.ends()).open).toBe(0), WAIT)
  expect(statusesOf(await queue.ends())).toEqual({
    'acme.ada': 'created',
    'acme.joan': 'invited',
    'globex.ada': 'created',
    'globex.joan': 'created',
  })
  expect([invited(acme), invited(globex)]).toEqual([['ada'], ['ada', 'joan']])

  for (const service of [acme, globex]) service.open(service.invites[0]?.challengeUrl ?? '').pass()
  await Promise.all([acme.settle(), globex.settle()])
  for (const tenant of ['acme', 'globex']) {
    const line = new RegExp(`^${tenant}: certification.completed, reference ${tenant}\\.`, 'm')
    await vi.waitFor(() => expect(worker.output()).toMatch(line), WAIT)
  }
  worker.child.kill('SIGTERM')
  expect(await ended(worker.child)).toBe(0)
})

test.each([
  ['the table of tenants', 'the ledger'],
  ['the ledger', 'the table of tenants'],
] as const)('seven of seven queued jobs survive a move of their service: %s first, then %s', async (first, second) => {
  const { requests, queue, add, tried, query, certify } = await tenants()
  const says = {
    'the table of tenants': () => query(`UPDATE tenants SET base_url = '${NEW}' WHERE name = 'acme'`),
    'the ledger': () => certify('move', '--account', 'acme', '--to', NEW),
  }
  const endOf = async (jobs: number) =>
    vi.waitFor(async () => expect((await queue.ends()).ended).toHaveLength(jobs), WAIT)
  await add('acme', 'ada')
  await endOf(1)
  await says[first]()
  const moving = Array.from({ length: 7 }, (_each, index) => `hire-${index}`)
  await add('acme', ...moving)
  /* Another tenant goes on. */
  await add('globex', 'ada')
  await vi.waitFor(async () => expect(await tried()).toEqual(moving.map((name) => `acme.${name}`)), WAIT)
  await endOf(2)
  /* What is recorded is answered, whichever URL this process has. */
  await add('acme', 'ada')
  await endOf(3)
  expect(requests).toEqual({ [OLD]: 1, [GLOBEX]: 1 })

  await says[second]()
  await endOf(10)
  expect(new Set(Object.values(statusesOf(await queue.ends())))).toEqual(new Set(['created']))
  expect(requests).toEqual({ [OLD]: 1, [GLOBEX]: 1, [NEW]: 7 })
})

/* The worker of the example for two tenants, whose services have names as in production: `requests` counts what reaches each. */
async function tenants(keyOfGlobex?: string) {
  const [acme, globex] = [createMockServer({ seed: 'acme' }), createMockServer({ seed: 'globex' })]
  const requests: Record<string, number> = {}
  const { url } = await serveAs(({ headers: { host } }) => {
    requests[`https://${host}`] = (requests[`https://${host}`] ?? 0) + 1
    return GLOBEX.endsWith(host ?? '') ? globex : acme
  })
  const PORT = String(await freePort())
  for (const service of [acme, globex]) service.callbacks.deliverTo(`http://127.0.0.1:${PORT}`)
  const elsewhere = `--import=${pathToFileURL(join(import.meta.dirname, 'elsewhere.mjs')).href}`
  const more = { PORT, SERVICES: url, NODE_OPTIONS: elsewhere }
  const { run, queue, databaseUrl, copy, env } = await setting('bullmq', undefined, more)
  retrySoon(copy)
  const { Queue } = queuePackage('bullmq')
  const jobs = new Queue('invites', { connection: { url: queue.env['REDIS_URL'] } })
  onTestFinished(() => jobs.close())

  const query = (statement: string) => sql(databaseUrl, statement)
  await query('CREATE TABLE tenants (name text PRIMARY KEY, base_url text, api_key text)')
  const key = keyOfGlobex ?? globex.apiKey
  await query(`INSERT INTO tenants VALUES ('acme', '${OLD}', '${acme.apiKey}'), ('globex', '${GLOBEX}', '${key}')`)
  const child = run('tenants.mjs')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  return {
    acme,
    globex,
    requests,
    queue,
    query,
    copy,
    worker: { child, output: () => output },
    add: (tenant: string, ...people: readonly string[]) =>
      queue.add(people.map((name) => ({ ...jobOf(name), tenant, reference: `${tenant}.${name}` }))),
    /* The references of the open jobs that have been tried. */
    tried: async () => {
      const open = await jobs.getJobs(['wait', 'active', 'delayed'])
      const isTried = ({ attemptsMade }: { attemptsMade: number }) => attemptsMade > 0
      return open
        .filter(isTried)
        .map(({ data }: { data: { reference: string } }) => data.reference)
        .toSorted()
    },
    certify: (...words: readonly string[]) =>
      promisify(execFile)(
        process.execPath,
        [join(copy, 'node_modules/certify-sdk/dist/bin/certify.cjs'), 'ledger', ...words],
        { cwd: copy, env: { ...env, HOME: copy, CERTIFY_LEDGER: databaseUrl } },
      ),
  }
}

const invited = ({ invites }: MockServer) =>
  invites.map(({ candidate }) => candidate.email.replace(/@.*/, '')).toSorted()

function statusesOf({ ended: ends }: { readonly ended: readonly { reference: string; status: string }[] }) {
  return Object.fromEntries(ends.map(({ reference, status }) => [reference, status]))
}
