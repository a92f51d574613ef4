// The exploration and the sources that it runs, bundled into one file that Node.js runs at full speed; optionally with
// a mutation of one of them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')

/**
 * @param {import('./mutants.mjs').Mutant} [mutant] a rule to break
 * @returns {Promise<typeof import('./index.ts')>}
 */
export async function bundled(mutant) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-exploration-'))
  try {
    const bundle = await rolldown({
      input: join(import.meta.dirname, 'index.ts'),
      platform: 'node',
      plugins: mutant === undefined ? [] : [broken(mutant)],
    })
    const file = join(folder, 'exploration.mjs')
    await bundle.write({ file, codeSplitting: false })
    await bundle.close()
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {import('./mutants.mjs').Mutant} mutant @returns {import('rolldown').Plugin} */
function broken({ rule, file, from, to }) {
  return {
    name: 'broken',
    load(id) {
      if (id !== join(root, file)) return undefined
      const source = readFileSync(id, 'utf8')
      if (source.split(from).length !== 2) throw new Error(`"${rule}": ${file} does not have this once: ${from}`)
      return { code: source.replace(from, () => to), moduleType: 'ts' }
    },
  }
}
