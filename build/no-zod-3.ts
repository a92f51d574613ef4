/* The MCP SDK also takes schemas of zod 3, and ours are of zod 4. */
export function object(): never {
  throw new Error('zod 3 is not bundled')
}

export function zodToJsonSchema(): never {
  return object()
}
