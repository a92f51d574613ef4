// Kills the workers of the queue examples at random moments, and compares their jobs with the service's own books:
//   npm run harness:queues -- [--jobs 3000] [--kills 150] [--seed 1] [--queue pg-boss]
import { parseArgs } from 'node:util'
import { surviveWithServers } from './run.mjs'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '3000' },
    kills: { type: 'string', default: '150' },
    seed: { type: 'string' },
    queue: { type: 'string', multiple: true, default: ['pg-boss', 'bullmq'] },
  },
})
for (const example of /** @type {('pg-boss' | 'bullmq')[]} */ (values.queue)) {
  const began = performance.now()
  const figures = await surviveWithServers(example, {
    jobs: Number(values.jobs),
    kills: Number(values.kills),
    seed: values.seed === undefined ? undefined : Number(values.seed),
  })
  console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - began) / 1000) }, null, 2))
  const { duplicates, lost, falsehoods } = figures
  const holds = duplicates + lost + falsehoods.length === 0
  console.log(`${example}: ${holds ? 'holds: 0 duplicates, 0 lost, no false end' : 'DOES NOT HOLD'}`)
  if (!holds) process.exitCode = 1
}
