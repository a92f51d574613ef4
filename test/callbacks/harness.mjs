// @ts-check
// Kills a receiver of events at random moments, and compares what it handled with the events of the mock:
//   npm run harness:callbacks -- --candidates 3333 --kills 100
import { parseArgs } from 'node:util'
import { receive } from './survival.mjs'

const { values } = parseArgs({
  options: { candidates: { type: 'string', default: '200' }, kills: { type: 'string', default: '10' } },
})
const began = performance.now()
const figures = await receive({ candidates: Number(values.candidates), kills: Number(values.kills) })
console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - began) / 1000) }, null, 2))
const { events, handled, unhandled, foreign, disordered, problems } = figures
const holds = handled === events && unhandled + foreign + disordered + problems.length === 0
console.log(holds ? 'holds: every event handled, none forged, in order' : 'DOES NOT HOLD')
process.exitCode = holds ? 0 : 1
