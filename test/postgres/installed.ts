/**
 * Imports a package of `test/postgres/package.json`. Type checks run without it, so its types are those of the caller.
 *
 * @example const { PGlite } = await installed<{ PGlite: new () => … }>('@electric-sql/pglite')
 */
export async function installed<Module>(name: string): Promise<Module> {
  try {
    return (await import(/* @vite-ignore */ name)) as Module
  } catch (cause) {
    throw new Error(`${name} is missing. Run: npm ci --ignore-scripts --prefix test/postgres`, { cause })
  }
}
