import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const repository = join(import.meta.dirname, '../..')
const packages = join(import.meta.dirname, 'node_modules')

/** @typedef {'pg-boss' | 'bullmq' | 'dbos'} Example */

/**
 * A copy of an example with its dependencies: from `test/queues`, and this package as built.
 *
 * @param {Example} name
 */
export function installExample(name) {
  if (!existsSync(packages)) {
    throw new Error('The queues are missing. Run: npm ci --ignore-scripts --prefix test/queues')
  }
  if (!existsSync(join(repository, 'dist/ledger/postgres.js'))) throw new Error('dist/ is missing. Run: npm run build')
  const folder = mkdtempSync(join(tmpdir(), `certify-${name}-`))
  cpSync(join(repository, 'examples', name), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const each of readdirSync(packages).filter((entry) => !entry.startsWith('.'))) {
    symlinkSync(join(packages, each), join(folder, 'node_modules', each))
  }
  symlinkSync(repository, join(folder, 'node_modules/certify-sdk'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A dependency of the queues. Types are checked without it. @param {string} name @returns {any} */
export function queuePackage(name) {
  try {
    return createRequire(import.meta.url)(name)
  } catch (cause) {
    throw new Error(`${name} is missing. Run: npm ci --ignore-scripts --prefix test/queues`, { cause })
  }
}
