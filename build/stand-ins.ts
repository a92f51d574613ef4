import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'

const CLIENTS = fileURLToPath(new URL('light-client.ts', import.meta.url))
const HEADERS = fileURLToPath(new URL('light-headers.ts', import.meta.url))

/* One operation at a time is sent, by POST and without middleware: what the library has for anything else is dropped. */
const CONSTANTS = [
  [/\b(input|params)\.request\._tag === `Single`/g, 'true'],
  [/\bresult\._tag === `Batch`/g, 'false'],
  [/\bswitch \((params\.request|result)\._tag\)/g, 'switch (`Single`)'],
  [/\bif \(method === `POST`\)/g, 'if (true)'],
  [/\bif \((params\.middleware|searchParams)\)/g, 'if (false)'],
] as const

/**
 * Replaces the classes of graphql-request, and on Node.js the global `Headers`. The two modules say why. The build fails if
 * the library no longer uses one of them.
 */
export function standIns({ headers = false } = {}): Plugin {
  const unused = new Set(['GraphQLClient', 'ClientError', ...(headers ? ['Headers'] : [])])
  return {
    name: 'stand-ins',
    resolveId(source, importer = '') {
      const [, name] = /\/(GraphQLClient|ClientError)\.js$/.exec(source) ?? []
      if (!/\/graphql-request\//.test(importer)) return undefined
      if (name === undefined) return undefined
      unused.delete(name)
      return CLIENTS
    },
    transform: {
      filter: { id: /\/graphql-request\/.*\.js$/ },
      handler(code) {
        const folded = CONSTANTS.reduce((text, [pattern, constant]) => text.replaceAll(pattern, constant), code)
        if (!headers || !/\bHeaders\b/.test(folded)) return folded
        unused.delete('Headers')
        return `import { LightHeaders as Headers } from ${JSON.stringify(HEADERS)}\n${folded}`
      },
    },
    buildEnd(error) {
      if (error !== undefined || unused.size === 0) return
      throw new Error(`graphql-request no longer uses ${[...unused].join(' and ')}: remove the stand-in`)
    },
  }
}
