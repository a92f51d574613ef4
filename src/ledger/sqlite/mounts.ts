import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ledgerUnusable } from '../rules/errors.ts'
import { filesOf } from './file-identity.ts'

/** What the system reports about files and mounts. A test has its own. */
export interface Mounts {
  /** The paths of all mount points that this process can see; `undefined` if the system does not list them. */
  readonly points: () => ReadonlySet<string> | undefined
  /** `undefined` where there is no such file. */
  readonly stat: (path: string) => { readonly dev: number; readonly nlink: number } | undefined
}

/**
 * Refuses a file that is mounted by itself, as into a container, and one with a hard link. Each user of such a file
 * would have its own log, and not know the sends of the others.
 *
 * @param file its real path
 * @throws CertifyError LEDGER_UNUSABLE
 */
export function refuseLoneFile(file: string, path: string, mounts: Mounts = MOUNTS): void {
  const points = mounts.points()
  const device = mounts.stat(dirname(file))?.dev
  for (const each of filesOf(file)) {
    const found = mounts.stat(each)
    if (found === undefined) continue
    /* A list of mounts is exact. Devices are not: on some overlays a file and its folder have different ones. */
    const isMounted = points === undefined ? found.dev !== device : points.has(each)
    if (isMounted) throw mounted(path + each.slice(file.length), path)
  }
  if ((mounts.stat(file)?.nlink ?? 1) > 1) throw linked(path)
}

const MOUNTS: Mounts = {
  points() {
    const mountinfo = readMountinfo()
    return mountinfo === undefined ? undefined : mountPointsIn(mountinfo)
  },
  stat: (path) => statSync(path, { throwIfNoEntry: false }),
}

/** The type of the file system that has a file or folder, as in `ext4`; `undefined` if the system does not say. */
export function fileSystemOf(path: string, mountinfo: string | undefined = readMountinfo()): string | undefined {
  const mounts = (mountinfo ?? '').split('\n').flatMap((line) => {
    const [, point = '', type] = /^(?:\S+ ){4}(\S+) .*? - (\S+) /.exec(line) ?? []
    const root = unescaped(point).replace(/\/$/, '')
    return type !== undefined && (path === root || path.startsWith(`${root}/`)) ? [{ root, type }] : []
  })
  /* The innermost mount counts, and of several at one point the last one. */
  return mounts.reduce((best, each) => (each.root.length >= best.root.length ? each : best), mounts[0] ?? NO_MOUNT).type
}

const NO_MOUNT = { root: '', type: undefined }

function readMountinfo(): string | undefined {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return undefined
  }
}

/** The mount points in Linux's `mountinfo`: the fifth field, with blanks and the like as octal numbers. */
export function mountPointsIn(mountinfo: string): ReadonlySet<string> {
  const points = mountinfo.split('\n').map((line) => line.split(' ')[4] ?? '')
  return new Set(points.map(unescaped))
}

function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_escape, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))
}

function mounted(what: string, path: string) {
  return ledgerUnusable(
    `${what}: it is mounted as a single file, so each of its users would have another log of ${path}`,
    'Mount the folder instead of the file, and use the path in it.',
  )
}

function linked(path: string) {
  return ledgerUnusable(
    `${path}: it has a second name (a hard link), and each name would have its own log`,
    'Remove the other name, or make it a copy. A symbolic link is no problem.',
  )
}
