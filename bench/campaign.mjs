// How fast `certify bulk` sends with its durable ledger, compared with a loop of p-limit and fetch that is as durable (a
// line written and fsynced before and after each create), and with a loop that records nothing. Each has a process of its
// own for each round, in turns: a round is one run by each, in another order. CPU time says what is left when the disk is free.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bulk, CONCURRENCY, ownFolder, startService, tableOf } from './campaign-setting.mjs'
import { judge, note, print, quantile } from './table.mjs'

const ROUNDS = Number(process.argv[2] ?? 3)
const SIZES = [
  { latencyMs: 20, count: Number(process.argv[3] ?? 4_000) },
  { latencyMs: 0, count: Number(process.argv[3] ?? 4_000) },
]

const folder = ownFolder()
const service = await startService()
let files = 0
for (const { latencyMs, count } of SIZES) {
  const url = service.urlAfter(latencyMs)
  const table = await tableOf(folder, count)
  const one = (/** @type {string} */ name) => async () => ownProcess(name, url, count)
  const runs = [
    { name: 'bare fetch loop', run: one('bareLoop') },
    { name: 'p-limit, fetch, fsync', run: one('journal') },
    { name: 'certify bulk', run: async () => created(await bulk({ folder, url, table }), count) },
  ].map((each) => ({ ...each, took: /** @type {{ sendMs: number, wholeMs: number, cpuMs: number }[]} */ ([]) }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < runs.length; turn += 1) {
      const each = runs[(round + turn) % runs.length]
      each?.took.push(await each.run())
    }
  }
  const sending = runs.map(({ took }) => took.map(({ sendMs }) => sendMs))
  const everything = runs.map(({ took }) => took.map(({ wholeMs }) => wholeMs))
  const cpus = runs.map(({ took }) => took.map(({ cpuMs }) => cpuMs))
  const [bare = [], durable = [], ours = []] = sending
  print(
    `${count.toLocaleString('en')} invites at ${latencyMs} ms, concurrency ${CONCURRENCY}: ${ROUNDS} rounds`,
    ['', 'invites a second', 'slowest round', 'fastest', '× bare loop', 'with start and plan', 'CPU time'],
    runs.map(({ name }, index) => {
      const sent = sending[index] ?? []
      const figures = [quantile(sent), Math.max(...sent), Math.min(...sent)].map((ms) => perSecond(count, ms))
      const [whole, cpu] = [everything, cpus].map((all) => quantile(all[index] ?? []))
      return [
        name,
        ...figures,
        paired(bare, sent).toFixed(2),
        perSecond(count, whole ?? 0),
        `${Math.round(cpu ?? 0)} ms`,
      ]
    }),
  )
  console.log()
  note(`${latencyMs} ms: invites a second of a bare loop, to certify bulk`, paired(ours, bare))
  judge(`${latencyMs} ms: invites a second of p-limit, fetch and fsync, to certify bulk`, paired(ours, durable), 1.15)
  const what = `${latencyMs} ms: CPU time of certify bulk, with start and plan, to p-limit, fetch and fsync`
  note(what, paired(cpus[2] ?? [], cpus[1] ?? []))
}
service.stop()

/* Round by round: whatever slows the machine for a while slows both. */
function paired(/** @type {number[]} */ one, /** @type {number[]} */ other) {
  return quantile(one.map((ms, round) => ms / (other[round] ?? Number.NaN)))
}

/** @param {string} name @param {string} url @param {number} count */
async function ownProcess(name, url, count) {
  files += 1
  const began = performance.now()
  const child = fork(`${import.meta.dirname}/campaign-once.mjs`, [name, url, join(folder, `${files}`), String(count)])
  const ended = once(child, 'exit')
  const [figures] = await Promise.race([once(child, 'message'), ended])
  const [code] = await ended
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  return { .../** @type {{ sendMs: number, cpuMs: number }} */ (figures), wholeMs: performance.now() - began }
}

/** @template {{ counts: Record<string, number> }} Run @param {Run} run @param {number} count */
function created(run, count) {
  if (run.counts['created'] !== count) throw new Error(`created: ${run.counts['created']} of ${count}`)
  return run
}

/** @param {number} count @param {number} ms */
function perSecond(count, ms) {
  return Math.round((count * 1000) / ms).toLocaleString('en')
}
