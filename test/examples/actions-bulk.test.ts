import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { listen } from '../listen.ts'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { lend, repository } from '../package/consumer.ts'
import { startPostgres } from '../postgres/server.mjs'
import { startProgram } from './program.ts'
import { installExample } from './run-example.ts'
import { expectNoSecrets } from './secrets.ts'

/* Runs the steps of the workflow and of the pipeline with bash, as a runner does: jobs of a matrix concurrently, each in its own folder. */

interface Step {
  readonly id?: string
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
}
interface Job {
  readonly needs?: string | readonly string[]
  readonly if?: string
  readonly outputs?: Readonly<Record<string, string>>
  readonly strategy?: { readonly 'fail-fast': boolean; readonly matrix: Readonly<Record<string, readonly number[]>> }
  readonly steps: readonly Step[]
}
interface Pipeline {
  readonly before_script?: readonly string[]
  readonly script?: readonly string[]
  readonly after_script?: readonly string[]
}
/* The job has the secrets, so packages run no scripts. */
const INSTALL = 'npm ci --ignore-scripts'
const workflow = parse(readFileSync(join(repository, 'examples/actions-bulk/invite.yml'), 'utf8')) as {
  readonly env: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const TOKEN = 'people-token-5f1c'
const QUIZ = 'quiz_react_beginner_state'
const PEOPLE = Array.from({ length: 200 }, (_, index) => `person${index}@example.com`)

let mock: MockServer
let postgres: Awaited<ReturnType<typeof startPostgres>>
let contexts: Readonly<Record<string, string>>
let people = ''
const ends: (() => unknown)[] = []
let example: string
const server = createServer(({ headers }, response) => {
  response.writeHead(headers.authorization === `Bearer ${TOKEN}` ? 200 : 401).end(people)
})

beforeAll(async () => {
  const consumer = inject('consumer')
  lend(consumer, 'pg')
  example = installExample(consumer, 'actions-bulk')
  linkPackage(example)
  mock = createMockServer()
  ends.push(() => mock.close())
  const { url } = await mock.listen()
  postgres = await startPostgres()
  ends.push(() => postgres.stop())
  const { port, close } = await listen(server)
  ends.push(close)
  contexts = {
    'vars.CERTIFY_BASE_URL': url,
    'vars.PEOPLE_URL': `http://127.0.0.1:${port}/people.csv`,
    'secrets.CERTIFY_API_KEY': mock.apiKey,
    'secrets.CERTIFY_LEDGER': await postgres.createDatabase(),
    'secrets.PEOPLE_TOKEN': TOKEN,
  }
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

function linkPackage(folder: string): void {
  for (const name of ['certify-sdk', '.bin/certify']) {
    const path = join(folder, 'node_modules', name)
    mkdirSync(join(path, '..'), { recursive: true })
    if (!existsSync(path)) symlinkSync(join(inject('consumer'), 'node_modules', name), path)
  }
}

interface EndedJob {
  readonly name: string
  readonly folder: string
  readonly failed: readonly { readonly step: string; readonly status: number | null }[]
  readonly log: string
  readonly summary: string
  readonly outputs: Readonly<Record<string, string>>
}

let runs = 0

/** Runs the workflow: each job after the one that it needs. */
async function runWorkflow(afterPlan = () => {}): Promise<readonly EndedJob[]> {
  const ended: EndedJob[] = []
  const run = ++runs
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const isSuccessful = [job.needs ?? []].flat().every((needed) => {
      const before = ended.filter((each) => each.name === needed)
      return before.length > 0 && before.every(({ failed }) => failed.length === 0)
    })
    if (!(job.if === undefined ? isSuccessful : isDue(job.if, ended))) continue
    const [[key, values] = ['', []]] = Object.entries(job.strategy?.matrix ?? {})
    const matrices = values.length === 0 ? [{}] : values.map((value) => ({ [`matrix.${key}`]: `${value}` }))
    const outputs = Object.assign({}, ...ended.map((each) => each.outputs)) as Readonly<Record<string, string>>
    const jobs = matrices.map((matrix, index) => runJob(name, job, { ...matrix, ...outputs }, `${run}-${index}`))
    ended.push(...(await Promise.all(jobs)))
    if (name === 'plan') afterPlan()
  }
  return ended
}

async function runJob(name: string, job: Job, matrix: Readonly<Record<string, string>>, id: string): Promise<EndedJob> {
  const folder = `${example}-${name}-${id}`
  cpSync(example, folder, { recursive: true, verbatimSymlinks: true })
  const [summary, output] = [join(folder, 'summary.md'), join(folder, 'output.txt')]
  for (const path of [summary, output]) writeFileSync(path, '')
  const fill = (values: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, filled(value, matrix)]))
  const failed: { step: string; status: number | null }[] = []
  let log = ''
  for (const step of job.steps) {
    if (step.run === undefined) {
      expect(step.uses).toMatch(/^actions\/(checkout|setup-node|upload-artifact)@[\da-f]{40}$/)
    } else if (step.run !== INSTALL && (failed.length === 0 || isAlways(step.if))) {
      /* An expression in a command could inject code, so expressions may only be in `env`. */
      expect(step.run).not.toContain('${{')
      const env = {
        ...fill(workflow.env),
        ...fill(step.env),
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_OUTPUT: output,
        CI: 'true',
      }
      const { status, stdout, stderr } = await startProgram(folder, ['bash', '-e', '-c', step.run], env).ended
      log += stdout + stderr
      if (status !== 0) failed.push({ step: step.name ?? step.run, status })
    }
  }
  return { name, folder, failed, log, summary: readFileSync(summary, 'utf8'), outputs: outputsOf(name, job, output) }
}

/* By the names that later jobs have for them. */
function outputsOf(name: string, { outputs = {}, steps }: Job, path: string): Readonly<Record<string, string>> {
  const written = Object.fromEntries(
    readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.split('=')),
  )
  return Object.fromEntries(
    Object.entries(outputs).map(([key, text]) => {
      const [, id, output = ''] = /^\$\{\{ steps\.([\w-]+)\.outputs\.([\w-]+) \}\}$/.exec(text) ?? expect.fail(text)
      expect(steps.map((step) => step.id)).toContain(id)
      return [`needs.${name}.outputs.${key}`, String(written[output] ?? '')]
    }),
  )
}

function isAlways(condition: string | undefined): boolean {
  return condition !== undefined && isDue(condition, [])
}

/* Nothing is cancelled here. A job that did not run has the result `skipped`. */
function isDue(condition: string, ended: readonly EndedJob[]): boolean {
  const [, needed] =
    /^\$\{\{ !cancelled\(\)(?: && needs\.(\w+)\.result == 'success')? \}\}$/.exec(condition) ?? expect.fail(condition)
  const before = ended.filter(({ name }) => name === needed)
  return needed === undefined || (before.length > 0 && before.every(({ failed }) => failed.length === 0))
}

function filled(text: string, matrix: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_all, name: string) => {
    const value = { ...contexts, ...matrix }[name]
    if (value === undefined) throw new Error(`The workflow has ${name}, and the README does not.`)
    return value
  })
}

const counts = (jobs: readonly EndedJob[], status: string) =>
  jobs
    .filter(({ name }) => name === 'invite')
    .map(({ summary }) => Number(new RegExp(`"${status}":(\\d+)`).exec(summary)?.[1] ?? Number.NaN))

test('four concurrent jobs invite everybody once', async () => {
  people = ['email,quiz_id', ...PEOPLE.map((email) => `${email},${QUIZ}`)].join('\n')
  const rule = mock.faults.add({
    operation: 'developerCreateCertificationInvite',
    fault: { delayMs: 100 },
    times: null,
  })
  const jobs = await runWorkflow()
  expect(jobs.flatMap(({ failed }) => failed)).toEqual([])
  expect(jobs.map(({ name }) => name)).toEqual(['plan', 'invite', 'invite', 'invite', 'invite', 'report'])
  expect(mock.invites.map(({ candidate }) => candidate.email).toSorted()).toEqual(PEOPLE.toSorted())
  const created = counts(jobs, 'created')
  expect(created.reduce((sum, each) => sum + each, 0)).toBe(PEOPLE.length)
  expect(created.filter((each) => each > 0).length).toBeGreaterThan(1)
  mock.faults.remove(rule.id)
  const report = readFileSync(join(jobs.at(-1)?.folder ?? '', 'report.csv'), 'utf8')
  expect(report.split('\n').filter((line) => line.includes('already_invited'))).toHaveLength(PEOPLE.length)

  expectNoSecrets(jobs.map(({ log, summary }) => log + summary).join(''), mock, TOKEN, postgres.password)
})

test('another run invites only new candidates; unknown and invalid rows fail its jobs, and the report is still made', async () => {
  people += ['', `nobody,${QUIZ}`, `ada@example.com,${QUIZ}`, `cut-after@candidate.test,${QUIZ}`].join('\n')
  const jobs = await runWorkflow()
  expect(jobs.map(({ name }) => name)).toEqual(['plan', 'invite', 'invite', 'invite', 'invite', 'report'])
  expect(jobs.flatMap(({ failed }) => failed.map(({ status }) => status))).toEqual([6, 6, 6, 6, 6])
  const report = readFileSync(join(jobs.at(-1)?.folder ?? '', 'report.csv'), 'utf8')
  for (const status of ['invalid', 'already_invited', 'unknown']) expect(report).toContain(status)
  const emails = mock.invites.map(({ candidate }) => candidate.email)
  expect(emails.toSorted()).toEqual([...PEOPLE, 'ada@example.com', 'cut-after@candidate.test'].toSorted())
  expectNoSecrets(jobs.map(({ log, summary }) => log + summary).join(''), mock, TOKEN, postgres.password)
})

test('rows that have changed since the plan are not sent, and the jobs say so', async () => {
  const [rows, count] = [people, mock.invites.length]
  const jobs = await runWorkflow(() => {
    people += `\nmallory@evil.example,${QUIZ}`
  })
  people = rows
  const step = 'Fetch the rows that were planned'
  const failed = jobs.filter(({ name }) => name !== 'plan').map((each) => each.failed)
  expect(failed).toEqual(Array.from({ length: 5 }, () => [{ step, status: 1 }]))
  expect(jobs.at(-1)?.log).toContain('people.csv: FAILED')
  expect(mock.invites).toHaveLength(count)
})

test('a plan that fails stops the workflow: no other job runs', async () => {
  const rows = people
  people = 'no column of addresses\n'
  const jobs = await runWorkflow()
  people = rows
  expect(jobs.map(({ name, failed }) => [name, failed])).toEqual([['plan', [{ step: 'Plan', status: 2 }]]])
})

test('the pipeline for GitLab plans, then invites everybody once, and its log and summary have the counts alone', async () => {
  const folder = installExample(inject('consumer'), 'gitlab-bulk')
  linkPackage(folder)
  const pipeline = parse(readFileSync(join(folder, 'invite.gitlab-ci.yml'), 'utf8')) as Record<string, Pipeline>
  const env = Object.fromEntries(Object.entries(contexts).map(([name, value]) => [name.replace(/^\w+\./, ''), value]))
  const run = async (lines: readonly string[] = []) => {
    const script = lines.filter((line) => line !== INSTALL).join('\n')
    const { status, stdout, stderr } = await startProgram(folder, ['bash', '-e', '-c', script], { ...env, CI: 'true' })
      .ended
    return { status, log: stdout + stderr }
  }
  people = ['email,quiz_id', ...PEOPLE.slice(0, 3).map((email) => `gitlab-${email},${QUIZ}`)].join('\n')
  const before = mock.invites.length
  const ended = []
  for (const job of ['plan', 'invite', 'invite']) {
    const { script, after_script } = pipeline[job] ?? {}
    ended.push(await run([...(pipeline['default']?.before_script ?? []), ...(script ?? [])]), await run(after_script))
  }
  expect(ended.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0])
  expect(mock.invites.length - before).toBe(3)
  expect(ended.map(({ log }) => /^(?:created|already_invited) [1-9]\d*$/m.exec(log)?.[0])).toEqual([
    undefined,
    undefined,
    undefined,
    'created 3',
    undefined,
    'already_invited 3',
  ])
  expect(readFileSync(join(folder, 'summary.txt'), 'utf8')).toContain('already_invited 3\n')
  people += `\nmallory@evil.example,${QUIZ}`
  const changed = await run([...(pipeline['default']?.before_script ?? []), ...(pipeline['invite']?.script ?? [])])
  expect([changed.status, mock.invites.length - before]).toEqual([1, 3])
  expectNoSecrets(ended.map(({ log }) => log).join(''), mock, TOKEN, postgres.password)
})

test('a missing secret for CERTIFY_LEDGER stops the workflow before anything is planned or sent', async () => {
  const [rows, given, count] = [people, contexts, mock.invites.length]
  people = `email,quiz_id\nnew@example.com,${QUIZ}\n`
  contexts = { ...given, 'secrets.CERTIFY_LEDGER': '' }
  const [plan, ...others] = await runWorkflow()
  people = rows
  contexts = given
  expect(plan?.failed).toEqual([{ step: 'Plan', status: 2 }])
  expect(plan?.log).toContain('CERTIFY_LEDGER is set, but empty')
  expect([others, mock.invites.length]).toEqual([[], count])
})
