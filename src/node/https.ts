/** The module for https. It is loaded when it is needed: it loads all of TLS. */
export function https(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}
