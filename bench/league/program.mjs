// @ts-nocheck: as in ways.mjs.
// The program of a user: it creates the invites of its jobs in one way, and says how each ended.
import { setTimeout as pause } from 'node:timers/promises'
import { WAYS } from './ways.mjs'

const TELLS_OF_ANOTHER = new Set(['IN_PROGRESS', 'PRIOR_OUTCOME_UNKNOWN'])

process.on('disconnect', () => process.exit())
process.once('message', (start) => void begin(start))

async function begin({ name, cells }) {
  const endsOf = async (cell) => [cell.situation, await play(name, cell)]
  /* Beside the others, a request could time out before it was sent, and jobs would not begin in time. */
  const [apart, together] = [true, false].map((isApart) => cells.filter((cell) => cell.isApart === isApart))
  const ends = await Promise.all(together.map(endsOf))
  for (const cell of apart) ends.push(await endsOf(cell))
  process.send(Object.fromEntries(ends), () => process.exit())
}

async function play(name, { origin, place, limitMs, everyMs, warmUps, jobs, isAgain }) {
  const timed = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(limitMs) })
  const way = await WAYS[name]({ origin, url: `${origin}/api/developer/graphql`, place, limitMs, fetch: timed })
  const paced = (list, start) => Promise.all(list.map((job, index) => pause(index * everyMs).then(() => start(job))))
  const runs = typeof way === 'function' ? (list) => paced(list, (job) => run(way, job)) : queued(way, paced)
  if (warmUps.length > 0) await runs(warmUps)
  return runs(jobs, isAgain)
}

async function run(create, { email }) {
  try {
    return { email, said: 'created', inviteId: await create({ email }) }
  } catch (error) {
    return { email, said: mayExist(error) ? 'unknown' : 'failed' }
  }
}

/* Only an error that says so: every other one reads as “failed”. */
function mayExist({ outcome, code }) {
  return outcome === 'unknown' || outcome === 'executed' || (outcome !== undefined && TELLS_OF_ANOTHER.has(code))
}

function queued({ add, work, end }, paced) {
  let isWorking = false
  return async (jobs, isAgain = false) => {
    const added = isAgain ? undefined : paced(jobs, (job) => add([job]))
    if (!isWorking) await work(jobs.length)
    isWorking = true
    await added
    return Promise.all(
      jobs.map(async (job) => {
        for (;;) {
          const ended = await end(job)
          if (ended !== undefined) return { email: job.email, ...ended }
          await pause(200)
        }
      }),
    )
  }
}
