import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin, type RolldownOptions } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { collectLicences } from './build/licences.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/* As Vite does it: the schema, and what the page is made of, as text, so that the mock reads no file. */
const rawText: Plugin = {
  name: 'raw-text',
  resolveId: (source, importer) =>
    source.endsWith('?raw') ? `${fileURLToPath(new URL(source, `file://${importer}`))}?raw` : undefined,
  load: (id) =>
    id.endsWith('?raw')
      ? { code: `export default ${JSON.stringify(readFileSync(id.slice(0, -4), 'utf8'))}`, moduleType: 'js' }
      : undefined,
}

/* The CLI sends through node:http. Naming the real Headers, even for an instanceof, would load all of undici on Node 20. */
const plainHeaders: Plugin = {
  name: 'plain-headers',
  transform: {
    filter: { id: /\/graphql-request\/.*\.js$/, code: /\bHeaders\b/ },
    handler: (code) => `import { PlainHeaders as Headers } from ${JSON.stringify(here('build/headers.ts'))}\n${code}`,
  },
}

const common = {
  platform: 'node',
  plugins: [rawText, collectLicences(here('dist/THIRD-PARTY-LICENCES.md'))],
  external: ['msw', 'vitest', /^node:/],
  resolve: { mainFields: ['module', 'main'] },
  treeshake: { moduleSideEffects: false },
  /* A busy machine is nothing to warn of. */
  checks: { pluginTimings: false },
} satisfies RolldownOptions

const entries = {
  index: 'src/index.ts',
  'mock/index': 'mock-server/index.ts',
  'mock/msw': 'mock-server/msw.ts',
  'mock/vitest': 'mock-server/vitest.ts',
}

const library = ['esm', 'cjs'] as const

export default defineConfig([
  ...library.map(
    (format): RolldownOptions => ({
      ...common,
      input: entries,
      output: {
        dir: 'dist',
        format,
        entryFileNames: format === 'esm' ? '[name].js' : '[name].cjs',
        chunkFileNames: format === 'esm' ? 'chunks/[name]-[hash].js' : 'chunks/[name]-[hash].cjs',
      },
    }),
  ),
  ...library.map(
    (format): RolldownOptions => ({
      ...common,
      input: entries,
      plugins: [...common.plugins, dts({ emitDtsOnly: true, oxc: false, tsconfig: 'tsconfig.json' })],
      output: {
        dir: 'dist',
        format: 'esm',
        entryFileNames: format === 'esm' ? '[name].js' : '[name].cjs',
        chunkFileNames: format === 'esm' ? 'chunks/[name]-[hash].js' : 'chunks/[name]-[hash].cjs',
      },
    }),
  ),
  {
    ...common,
    plugins: [...common.plugins, plainHeaders],
    input: { certify: 'bin/certify.ts' },
    output: {
      dir: 'dist/bin',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name]-[hash].cjs',
    },
  },
])
