// Everything that needs no test, in two lanes side by side: `npm run check`.
import { spawn } from 'node:child_process'

const LANES = [
  ['npm run typecheck', 'knip', 'npm run codegen -- --check'],
  ['biome format .', 'npm run lint'],
]

let hasFailed = false

/** Runs the steps of a lane one after the other, until a step of either lane fails. @param {readonly string[]} steps */
async function lane(steps) {
  for (const step of steps) {
    if (hasFailed) return
    console.log(`check: ${step}`)
    const { code, output } = await run(step)
    if (code === 0) continue
    hasFailed = true
    process.exitCode = 1
    console.error(`${output.trimEnd()}\ncheck: ${step} failed`)
  }
}

/** @param {string} step @returns {Promise<{ readonly code: number | null, readonly output: string }>} */
function run(step) {
  return new Promise((resolve, reject) => {
    const child = spawn(step, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
    }
    child.on('error', reject).on('close', (code) => resolve({ code, output }))
  })
}

await Promise.all(LANES.map(lane))
