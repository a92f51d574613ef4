import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The path of this file, or of the bundle that it is in: one of CommonJS modules has no `import.meta.url`. */
export function thisFile(): string {
  const url = import.meta.url as string | undefined
  return url === undefined ? __filename : fileURLToPath(url)
}

/**
 * The command that installs or rebuilds a package where this one finds it: beside this one, in the way that this one was
 * installed.
 *
 * @param here a file of this package
 */
export function installCommand(action: 'install' | 'rebuild', name: string, here: string = thisFile()): string {
  const [, root] = /^(.*?)[\\/]node_modules[\\/]/.exec(here) ?? []
  if (root !== undefined && /[\\/]_npx[\\/]/.test(here)) return `npx --package certify-sdk --package ${name} certify …`
  /* As in /usr/local/lib, and in the folder of npm on Windows. A project would have a package.json. */
  const isGlobal = root !== undefined && /[\\/](lib|npm|nodejs)$/.test(root) && !existsSync(join(root, 'package.json'))
  return `npm ${action} ${isGlobal ? '--global ' : ''}${name}`
}
