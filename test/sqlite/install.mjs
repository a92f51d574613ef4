// Where this Node.js has no SQLite of its own: installs the package that the ledger uses instead, and links it into the root.
// Compiling it may take minutes, so it is done once, and is no part of the root's install.
import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const here = import.meta.dirname
const link = join(here, '../../node_modules/better-sqlite3')
if (process.getBuiltinModule('node:sqlite') === undefined) {
  if (!loads()) {
    console.error('Compiling better-sqlite3 for this Node.js, once. It takes about a minute.')
    execFileSync('npm', ['ci', '--prefix', here, '--loglevel=error'], { stdio: 'inherit' })
  }
  if (!existsSync(link)) symlinkSync(join(here, 'node_modules/better-sqlite3'), link, 'junction')
}

/* What was compiled for another Node.js does not load in this one. */
function loads() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3')
    new Database(':memory:').close()
    return true
  } catch {
    return false
  }
}
