// The entry point of an executable. It loads the modules of the program from inside the executable, each when it is needed.
import { createRequire } from 'node:module'
import { posix } from 'node:path'
import { getAsset } from 'node:sea'
import { compileFunction, constants } from 'node:vm'

const require = createRequire(process.execPath)
/** @type {Map<string, { exports: unknown }>} */
const modules = new Map()

load('certify.cjs')

/** @param {string} name @returns {unknown} */
function load(name) {
  const known = modules.get(name)
  if (known) return known.exports
  const module = { exports: {} }
  modules.set(name, module)
  const folder = posix.dirname(name)
  const code = getAsset(name, 'utf8').replace(/^#!.*/, '')
  const run = compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: name,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  run(module.exports, requireHere, module, name, folder)
  return module.exports

  /** @param {string} id @returns {unknown} */
  function requireHere(id) {
    return id.startsWith('.') ? load(posix.join(folder, id)) : require(id)
  }
}
