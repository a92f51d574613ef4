import { readFileSync } from 'node:fs'
import type { Plugin } from 'rolldown'

const MARK = '?mcp'

/**
 * A copy of zod for `certify mcp` alone. The SDK of MCP uses much of it: in one copy, every command that sends would load
 * all of that.
 */
export function zodOfMcp(): Plugin {
  return {
    name: 'zod-of-mcp',
    async resolveId(source, importer = '') {
      const isInside = importer.endsWith(MARK)
      const isAsked = /^zod(\/|$)/.test(source) && /\/@modelcontextprotocol\/sdk\/|\/bin\/mcp\//.test(importer)
      if (!isInside && !isAsked) return undefined
      const from = isInside ? importer.slice(0, -MARK.length) : importer
      const resolved = await this.resolve(source, from, { skipSelf: true })
      return resolved && { ...resolved, id: resolved.id + MARK }
    },
    load: (id) => (id.endsWith(MARK) ? readFileSync(id.slice(0, -MARK.length), 'utf8') : undefined),
  }
}
