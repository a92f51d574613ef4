// Builds the package, and installs what it is measured against where that is missing.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const here = import.meta.dirname
const run = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) =>
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })

run(`${here}/..`, 'run', 'build')
if (!existsSync(`${here}/node_modules`)) run(here, 'ci', '--loglevel=error')
