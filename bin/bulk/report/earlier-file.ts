import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { extname } from 'node:path'
import { codeOf } from '../../cli-error.ts'

/**
 * Gives a complete file its name. An earlier file of this name is moved aside: report.csv becomes report.1.csv, or the next
 * number that is free. No file is overwritten, even if several processes do this at the same time.
 *
 * @returns the new name of the earlier file
 */
export function placeBeside(draft: string, target: string): string | undefined {
  let moved: string | undefined
  while (!isPlaced(draft, target)) moved = moveAside(target) ?? moved
  return moved
}

/* Unlike a renamed file, a link never replaces another file. */
function isPlaced(draft: string, target: string): boolean {
  try {
    linkSync(draft, target)
    rmSync(draft)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!WITHOUT_LINKS.has(codeOf(error) ?? '')) throw error
    if (existsSync(target)) return false
    renameSync(draft, target)
    return true
  }
}

/* Some file systems have no links. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

function moveAside(target: string): string | undefined {
  const name = freeName(target)
  try {
    renameSync(target, name)
    return name
  } catch (error) {
    rmSync(name)
    /* Another process has moved it. */
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/* Takes the name with an empty file: no other process gets it. */
function freeName(target: string): string {
  const ending = extname(target)
  const start = target.slice(0, target.length - ending.length)
  for (let number = 1; ; number += 1) {
    const name = `${start}.${number}${ending}`
    try {
      closeSync(openSync(name, 'wx', 0o600))
      return name
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}
