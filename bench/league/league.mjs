// @ts-nocheck: what it imports is installed only in this folder, which the project's type check does not need.
// The league of lost responses: what each way of creating invites makes of eight faults, of a partial outage, of a killed process,
// and of a job that is delivered twice. Same seed, same faults.
import { fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, startPostgres } from '../../test/postgres/server.mjs'
import { startRedis } from '../../test/queues/redis.mjs'
import { print } from '../table.mjs'
import { FAULTS, startService } from './server.mjs'
import { WAYS } from './ways.mjs'

const JOBS = 20
const SEED = process.argv[2] ?? '1'
const LIMIT_MS = 2000
const AT_ONCE = 3
const KILLED = 'kill -9, run again'
const TWICE = 'the same job twice at once'
const SITUATIONS = [...Object.keys(FAULTS), KILLED, TWICE]
const COLUMNS = new Map([
  ['isTwice', 'invited twice'],
  ['isWrong', 'told wrong'],
  ['isSilent', 'silent'],
  ['isUnknown', 'told unknown'],
  ['isNotInvited', 'not invited'],
  ['isRight', 'invited once'],
])

const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'certify-league-'))
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
/** What became of the jobs, for each way and each situation. */
const results = new Map()
const names = Object.keys(WAYS)[Symbol.iterator]()
await Promise.all(Array.from({ length: AT_ONCE }, playFrom))
await Promise.all([postgres.stop(), redis.stop()])
rmSync(folder, { recursive: true })

for (const situation of SITUATIONS) {
  const rows = [...results].map(([name, bySituation]) => [name, ...figures(bySituation.get(situation))])
  print(`${situation}: of ${JOBS} jobs`, ['', ...COLUMNS.values()], rows)
}
console.log(`\nAll, with the seed ${SEED}: of ${JOBS * SITUATIONS.length} jobs\n`)
console.log(`|Way|${[...COLUMNS.values()].join('|')}|\n|---|${'---:|'.repeat(COLUMNS.size)}`)
for (const name of Object.keys(WAYS)) {
  console.log(`|${versioned(name)}|${figures([...results.get(name).values()].flat()).join('|')}|`)
}

function figures(jobs) {
  return [...COLUMNS.keys()].map((column) => String(jobs.filter((job) => job[column]).length))
}

/* The dependency that is named, with its version. */
function versioned(name) {
  const byLength = Object.entries(dependencies).toSorted(([one], [other]) => other.length - one.length)
  const [dependency, version] = byLength.find(([each]) => name.toLowerCase().includes(each)) ?? []
  return version === undefined ? name : name.replace(new RegExp(dependency, 'i'), `$& ${version}`)
}

async function playFrom() {
  for (const name of names) {
    results.set(name, new Map())
    const cells = await Promise.all(SITUATIONS.map((situation, index) => prepare(name, situation, index)))
    const unharmed = cells.filter(({ isKilled }) => !isKilled)
    const others = endsOf(run(name, unharmed))
    const killed = cells.find(({ isKilled }) => isKilled)
    const child = run(name, [killed])
    const early = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended before it was killed`)))
    await Promise.race([killed.service.allHit, early])
    early.catch(() => {})
    child.kill('SIGKILL')
    const again = endsOf(run(name, [{ ...killed, isAgain: true }]))
    const told = { ...(await others), ...(await again) }
    for (const { situation, service, emails } of cells) {
      const ended = (email) => told[situation].filter((end) => end.email === email)
      const jobs = emails.map((email) => judged(service.books.get(email), ended(email)))
      results.get(name).set(situation, jobs)
      service.stop()
    }
  }
}

async function prepare(name, situation, index) {
  const emails = Array.from({ length: JOBS }, (_each, job) => `${index}-${job}@candidate.test`)
  const isKilled = situation === KILLED
  const isTwice = situation === TWICE
  const isKept = situation === 'reset of a kept connection'
  const isApart = situation === 'time-out after'
  const fault = FAULTS[situation]
  const isOutage = fault?.lastsMs !== undefined
  /* A kept connection is reset once: the next request opens a new one. */
  const most = isTwice ? 0 : isKilled || isKept ? 1 : 3
  const plan = new Map(
    emails.map((email) => {
      const isSpared = isOutage && random(`${email} spared`) < 0.5
      const hits = isSpared ? 0 : Math.min(most, 1 + Math.floor(random(email) * most))
      return [email, { hits, isExecuted: fault?.isExecuted ?? random(`${email} executed`) < 0.5 }]
    }),
  )
  const warmUps = Array.from({ length: isKept || isApart ? JOBS : 0 }, (_each, job) => `warm-up-${job}@candidate.test`)
  const end = fault?.end ?? (() => {})
  const service = await startService({
    end,
    lastsMs: fault?.lastsMs,
    warmUps: warmUps.length,
    delayMs: isTwice ? 300 : 0,
    plan,
  })
  const program = {
    situation,
    origin: service.url,
    place: await placeFor(name, index),
    limitMs: isApart ? LIMIT_MS : 60_000,
    isApart: isApart || isOutage,
    everyMs: isOutage ? 100 : 0,
    warmUps: warmUps.map(deliver),
    jobs: (isTwice ? [...emails, ...emails] : emails).map(deliver),
    isAgain: false,
  }
  return { ...program, isKilled, emails, service }
}

function deliver(email) {
  return { email, delivery: randomUUID() }
}

function run(name, cells) {
  const child = fork(join(import.meta.dirname, 'program.mjs'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.send({ name, cells: cells.map(({ service: _service, ...cell }) => cell) })
  return child
}

/* How the jobs of each situation ended. */
async function endsOf(child) {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('a program ended without a word')))
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}

/* What the books of the service say about what a program was told. */
function judged(invites, ends) {
  const told = new Set(ends.map(({ inviteId }) => inviteId))
  const said = (what) => ends.some((end) => end.said === what)
  const isInvited = invites.length > 0
  const isTwice = invites.length > 1
  const isWrong =
    ends.some((end) => end.said === 'created' && !invites.includes(end.inviteId)) || (said('failed') && isInvited)
  const isUnknown = said('unknown')
  const isSilent = !isWrong && !isUnknown && invites.some((inviteId) => !told.has(inviteId))
  const isNotInvited = said('failed') && !isInvited
  const isRight = !isTwice && !isWrong && !isUnknown && !isSilent && isInvited
  return { isTwice, isWrong, isSilent, isUnknown, isNotInvited, isRight }
}

async function placeFor(name, index) {
  if (name.startsWith('pg-boss')) return createDatabase(postgres.url)
  return name.startsWith('BullMQ') ? `${redis.url}/${index}` : join(folder, `${index}.ledger`)
}

/* A number from 0 to 1 that only depends on the seed and the words. */
function random(words) {
  return createHash('sha256').update(`${SEED} ${words}`).digest().readUInt32BE() / 2 ** 32
}
