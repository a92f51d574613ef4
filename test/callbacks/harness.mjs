// @ts-check
// Kills a receiver of events at random moments, and compares what it handled with the events of the mock:
//   npm run harness:callbacks -- --candidates 3333 --kills 100
import { parseArgs } from 'node:util'
import { MOST_MEGABYTES, receive } from './survival.mjs'

const { values } = parseArgs({
  options: { candidates: { type: 'string', default: '200' }, kills: { type: 'string', default: '10' } },
})
const began = performance.now()
const figures = await receive({ candidates: Number(values.candidates), kills: Number(values.kills) })
console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - began) / 1000) }, null, 2))
const { events, handled, unhandled, foreign, disordered, problems, wrong, peakMb } = figures
const holds =
  handled === events &&
  unhandled + foreign + disordered + problems.length + wrong.length === 0 &&
  peakMb <= MOST_MEGABYTES
console.log(holds ? 'holds: every event handled, none forged, in order, within the memory' : 'DOES NOT HOLD')
process.exitCode = holds ? 0 : 1
