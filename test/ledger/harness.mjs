// Kills a campaign at random moments and prints what the service's own records say about it:
//   npm run harness -- --kills 200 --rows 2000 [--concurrency 8] [--processes 1] [--fault-rate 0.01] [--postgres] [--minutes 10]
import { parseArgs } from 'node:util'
import { startPostgres } from '../postgres/server.mjs'
import { survive } from './survival.mjs'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    rows: { type: 'string', default: '300' },
    concurrency: { type: 'string', default: '8' },
    processes: { type: 'string', default: '1' },
    'fault-rate': { type: 'string', default: '0.01' },
    postgres: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
  },
})
const server = values.postgres ? await startPostgres() : undefined
const began = performance.now()
const figures = await survive({
  kills: Number(values.kills),
  rows: Number(values.rows),
  concurrency: Number(values.concurrency),
  processes: Number(values.processes),
  faultRate: Number(values['fault-rate']),
  killsForMs: Number(values.minutes) * 60_000,
  ...(server && { ledger: server.url }),
})
await server?.stop()
console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - began) / 1000) }, null, 2))
const { duplicates, lost, unsaid, falsehoods, unknown, unknownAtMost } = figures
const holds = duplicates + lost + unsaid + falsehoods.length === 0 && unknown <= unknownAtMost
console.log(holds ? 'holds: 0 duplicates, 0 lost, no false status' : 'DOES NOT HOLD')
process.exitCode = holds ? 0 : 1
