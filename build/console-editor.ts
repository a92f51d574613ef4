import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The module whose text is the script of the editors. */
export const CONSOLE_EDITOR: string = here('../mock-server/pages/console-editor.ts')

/** Fills the module with the editors of the Console and their libraries, for a browser. `plugins` see what is bundled. */
export function bundledConsoleEditor(plugins: readonly Plugin[] = []): Pick<Plugin, 'name' | 'load'> {
  return {
    name: 'console-editor',
    load: async (id) =>
      id === CONSOLE_EDITOR ? `export const script = ${JSON.stringify(await script(plugins))}` : undefined,
  }
}

async function script(plugins: readonly Plugin[]): Promise<string> {
  const bundle = await rolldown({
    input: here('../mock-server/pages/assets/console-editor.js'),
    platform: 'browser',
    plugins: [...plugins],
    transform: { define: { 'process.env.NODE_ENV': '"production"', 'globalThis.process': 'undefined' } },
    checks: { pluginTimings: false },
  })
  const { output } = await bundle.generate({ minify: true, comments: false })
  await bundle.close()
  if (output.length > 1) throw new Error('The editors of the Console have to be one script.')
  return output[0].code
}
