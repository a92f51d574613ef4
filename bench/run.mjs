// Runs the benchmarks one after another, each in a process of its own: all of them, or those that are named.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import { statSync } from 'node:fs'

const ALL = ['size', 'start', 'call', 'mock', 'campaign', 'claim']

const here = import.meta.dirname
await import('../test/sqlite/install.mjs')
/* npm leaves it there when it has installed everything. */
const installed = statSync(`${here}/node_modules/.package-lock.json`, { throwIfNoEntry: false })
if (installed === undefined || installed.mtimeMs < statSync(`${here}/package-lock.json`).mtimeMs) {
  execFileSync('npm', ['ci', '--loglevel=error'], { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] })
}

const named = process.argv.slice(2)
const [processor] = cpus()
console.log(`Node.js ${process.version}, ${cpus().length} × ${processor?.model}, load ${loadavg()[0]?.toFixed(1)}`)
for (const name of named.length > 0 ? named : ALL) {
  const { status } = spawnSync(process.execPath, [`${here}/${name}.mjs`], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
