/** Loads `node:https` on demand, because it loads all of TLS. */
export function https(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}
