import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'

/** A module that the build takes in place of another, for those who import that one. */
export interface StandIn {
  /** What is imported. */
  readonly of: string
  /** Who imports it: only these get the other one. */
  readonly importer: RegExp
  /** What they get, as a path from the root of the repository. */
  readonly by: string
}

/** Puts modules in the place of others, and fails the build where one of them is not imported any more. */
export function moduleAliases(list: readonly StandIn[]): Plugin {
  const unused = new Set(list)
  return {
    name: 'module-aliases',
    resolveId(source, importer = '') {
      const found = list.find((each) => each.of === source && each.importer.test(importer))
      if (found === undefined) return undefined
      unused.delete(found)
      return fileURLToPath(new URL(`../${found.by}`, import.meta.url))
    },
    buildEnd(error) {
      if (error !== undefined) return
      for (const { of, importer } of unused) {
        throw new Error(
          `rolldown.config.ts: ${of} is imported by no ${importer.source} any more: remove its stand-in, or correct it`,
        )
      }
    },
  }
}
