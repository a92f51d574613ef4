/** `node:http` or `node:https` as it is now: MSW, APM agents and others replace its functions. https loads all of TLS. */
export function moduleFor(protocol: string): typeof import('node:https') {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http') as typeof import('node:https')
}
