// What a create that a ledger in a file records costs with two builds of this package, side by side:
//   node bench/two-builds.mjs BEFORE AFTER [ROUNDS] [FOLDER]
// BEFORE and AFTER are folders of built packages, FOLDER is on the disk to measure. The first build also runs against itself:
// a ratio of builds means something only if that one is nearer to 1.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { judge, note, print, quantile } from './table.mjs'

const [before, after, rounds = '20', folder = '.'] = process.argv.slice(2)
if (before === undefined || after === undefined)
  throw new Error('node bench/two-builds.mjs BEFORE AFTER [ROUNDS] [FOLDER]')

const ARMS = /** @type {const} */ ([
  ['before', before],
  ['after', after],
  ['before, again', before],
])

for (const concurrency of [1, 8, 32]) {
  const took = ARMS.map(() => /** @type {number[]} */ ([]))
  const used = ARMS.map(() => /** @type {number[]} */ ([]))
  for (let round = 0; round < Number(rounds); round += 1) {
    for (let turn = 0; turn < ARMS.length; turn += 1) {
      const arm = (round + turn) % ARMS.length
      const { ms, cpuMs } = await measure(ARMS[arm]?.[1] ?? '', concurrency)
      took[arm]?.push(ms)
      used[arm]?.push(cpuMs)
    }
  }
  print(
    `${concurrency} at once: medians of ${rounds} processes each, per create`,
    ['', 'time', 'CPU time', 'time, to before', 'CPU time, to before'],
    ARMS.map(([name], arm) => [
      name,
      `${quantile(took[arm] ?? []).toFixed(3)} ms`,
      `${quantile(used[arm] ?? []).toFixed(3)} ms`,
      ratio(took, arm).toFixed(3),
      ratio(used, arm).toFixed(3),
    ]),
  )
  console.log()
  judge(`a create, ${concurrency} at once, to the build before`, ratio(took, 1), 1.03)
  note('the build before, to itself', ratio(took, 2))
}

/* Round by round, so that other load on the machine affects both sides. */
function ratio(/** @type {readonly (readonly number[])[]} */ figures, /** @type {number} */ arm) {
  return quantile((figures[arm] ?? []).map((figure, round) => figure / (figures[0]?.[round] ?? Number.NaN)))
}

/**
 * @param {string} build
 * @param {number} concurrency
 * @returns {Promise<{ ms: number, cpuMs: number }>}
 */
async function measure(build, concurrency) {
  const child = fork(`${import.meta.dirname}/two-builds-once.mjs`, [
    resolve(build),
    resolve(folder),
    String(concurrency),
  ])
  const [message] = await once(child, 'message')
  await once(child, 'exit')
  return /** @type {{ ms: number, cpuMs: number }} */ (message)
}
