// Builds the package, and installs what it is measured against where that is missing or older than the lockfile.
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'

const here = import.meta.dirname
const run = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) =>
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })

run(`${here}/..`, 'run', 'build')
await import('../test/sqlite/install.mjs')
/* npm leaves it there when it has installed everything. */
const installed = statSync(`${here}/node_modules/.package-lock.json`, { throwIfNoEntry: false })
const locked = statSync(`${here}/package-lock.json`)
if (installed === undefined || installed.mtimeMs < locked.mtimeMs) run(here, 'ci', '--loglevel=error')
