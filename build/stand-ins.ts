import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'

const GRAPHQL = fileURLToPath(new URL('graphql-stub.ts', import.meta.url))
const HEADERS = fileURLToPath(new URL('light-headers.ts', import.meta.url))

/**
 * Replaces the package `graphql` for graphql-request, and on Node.js the global `Headers`. The two modules say why. The
 * build fails if the library no longer uses one of them.
 */
export function standIns(...of: readonly ('graphql' | 'Headers')[]): Plugin {
  const unused = new Set(of)
  return {
    name: 'stand-ins',
    resolveId(source, importer = '') {
      const isAsked = source === 'graphql' && of.includes('graphql') && /\/graphql-request\//.test(importer)
      if (!isAsked) return undefined
      unused.delete('graphql')
      return GRAPHQL
    },
    transform: {
      filter: { id: /\/graphql-request\/.*\.js$/, code: /\bHeaders\b/ },
      handler(code) {
        if (!of.includes('Headers')) return undefined
        unused.delete('Headers')
        return `import { LightHeaders as Headers } from ${JSON.stringify(HEADERS)}\n${code}`
      },
    },
    buildEnd(error) {
      if (error !== undefined || unused.size === 0) return
      throw new Error(`graphql-request no longer uses ${[...unused].join(' and ')}: remove the stand-in`)
    },
  }
}
