import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './repository.mjs'

/** What a program may import: `certify-sdk`, `certify-sdk/ledger`, … */
export function importPaths() {
  const { name, exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  return Object.keys(exports)
    .filter((path) => exports[path].import !== undefined)
    .map((path) => path.replace('.', name))
}
