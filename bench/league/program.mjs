// @ts-nocheck: as in ways.mjs.
// The program of a user: it creates the invites of its jobs in one way, and says how each ended.
import { WAYS } from './ways.mjs'

const TELLS_OF_ANOTHER = new Set(['IN_PROGRESS', 'PRIOR_OUTCOME_UNKNOWN'])

process.on('disconnect', () => process.exit())
process.once('message', (start) => void begin(start))

async function begin({ name, cells }) {
  const endsOf = async (cell) => [cell.situation, await play(name, cell)]
  /* Beside the others, a request could time out before it was sent. */
  const [apart, together] = [true, false].map((isApart) => cells.filter((cell) => cell.isApart === isApart))
  const ends = await Promise.all(together.map(endsOf))
  for (const cell of apart) ends.push(await endsOf(cell))
  process.send(Object.fromEntries(ends), () => process.exit())
}

async function play(name, { origin, place, limitMs, warmUps, jobs, isAgain }) {
  const timed = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(limitMs) })
  const way = await WAYS[name]({ origin, url: `${origin}/api/developer/graphql`, place, limitMs, fetch: timed })
  const runs = typeof way === 'function' ? (list) => Promise.all(list.map((job) => run(way, job))) : queued(way)
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

function queued({ add, work, end }) {
  let isWorking = false
  return async (jobs, isAgain = false) => {
    if (!isAgain) await add(jobs)
    if (!isWorking) await work(jobs.length)
    isWorking = true
    return Promise.all(
      jobs.map(async (job) => {
        for (;;) {
          const ended = await end(job)
          if (ended !== undefined) return { email: job.email, ...ended }
          await new Promise((resolve) => void setTimeout(resolve, 200))
        }
      }),
    )
  }
}
