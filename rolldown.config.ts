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
    source.endsWith('?raw')
      ? `${fileURLToPath(new URL(source.startsWith('.') ? source : import.meta.resolve(source), `file://${importer}`))}?raw`
      : undefined,
  load: (id) =>
    id.endsWith('?raw')
      ? { code: `export default ${JSON.stringify(readFileSync(id.slice(0, -4), 'utf8'))}`, moduleType: 'js' }
      : undefined,
}

/* graphql-request parses documents only to find the name of their operation, which the client does not ask for. */
const withoutGraphql: Plugin = {
  name: 'without-graphql',
  resolveId: {
    filter: { id: /^graphql$/ },
    handler: (_source, importer) =>
      importer?.includes('/node_modules/graphql-request/') === true ? here('build/no-graphql.ts') : undefined,
  },
}

/* The MCP library validates with ajv what certify checks itself: the answer to a question. */
const withoutAjv: Plugin = {
  name: 'without-ajv',
  resolveId: {
    filter: { id: /^@modelcontextprotocol\/server\/_shims$/ },
    handler: () => here('build/mcp-shims.ts'),
  },
}

/* What every command loads, in one file: opening a file costs more than reading it. */
const EVERY_COMMAND =
  /\/node_modules\/(commander|fast-string-truncated-width|fast-string-width)\/|\/bin\/((?!certify|run-child|diagnosis)[a-z-]+|config\/.+|terminal\/(?!ask).+)\.ts$/

/* The same for what sends requests. It saves a third of what undici costs, which Node.js loads for the library's `Headers`. */
const CLIENT =
  /\/src\/([a-z-]+|(generated|transport|util|node)\/[a-z-]+)\.ts$|\/node_modules\/graphql-request\/|no-graphql/

const licences = collectLicences(here('dist/THIRD-PARTY-LICENCES.md'))

const common = {
  platform: 'node',
  plugins: [rawText, licences],
  external: ['@photostructure/sqlite', 'msw', 'pg', 'vitest'],
  resolve: { mainFields: ['module', 'main'] },
  treeshake: { moduleSideEffects: false },
  /* A busy machine is nothing to warn of. */
  checks: { pluginTimings: false },
} satisfies RolldownOptions

/* For Node.js, in one build: they share the files of the SDK, so that there is one of it. */
const nodeEntries = {
  'index.node': 'src/index.ts',
  'ledger/index': 'src/ledger/index.ts',
  'ledger/postgres': 'src/ledger/postgres.ts',
  'campaign/index': 'src/campaign/index.ts',
  'node/index': 'src/node/index.ts',
}

/* On Node.js, clients send by our own fetch. */
const ownFetch: Plugin = {
  name: 'own-fetch',
  resolveId: {
    filter: { id: /\/default-fetch\.ts$/ },
    handler: () => here('src/node/default-fetch.ts'),
  },
}

/* Apart from the SDK, which would have to share files with it: they have libraries in common, and nothing else. */
const mockEntries = {
  'mock/index': 'mock-server/index.ts',
  'mock/msw': 'mock-server/msw.ts',
  'mock/vitest': 'mock-server/vitest.ts',
}

const callbacksEntry = { 'callbacks/index': 'src/callbacks/index.ts' }

const groups: readonly { readonly input: Record<string, string>; readonly plugins?: Plugin[] }[] = [
  { input: nodeEntries, plugins: [ownFetch, withoutGraphql] },
  { input: { index: 'src/index.ts' }, plugins: [withoutGraphql] },
  { input: mockEntries },
  /* With its own copy of the errors: a receiver needs nothing else of the SDK. */
  { input: callbacksEntry },
]

const library = ['esm', 'cjs'] as const

const filesOf = (format: (typeof library)[number]) => {
  const extension = format === 'esm' ? 'js' : 'cjs'
  return { dir: 'dist', entryFileNames: `[name].${extension}`, chunkFileNames: `chunks/[name]-[hash].${extension}` }
}

/* The printer of the plugin puts a comment of one line behind the member before, where editors do not look for it
   (sxzz/rolldown-plugin-dts#182). The versions that print otherwise do not support Node.js 20. */
const commentsAboveMembers: Plugin = {
  name: 'comments-above-members',
  renderChunk: (code) => code.replaceAll(/^( *)(.*;) (\/\*\*.*\*\/)$/gm, '$1$2\n$1$3'),
}

export default defineConfig([
  ...groups.flatMap(({ input, plugins }) =>
    library.map(
      (format): RolldownOptions => ({
        ...common,
        input,
        plugins: [plugins, common.plugins],
        output: {
          ...filesOf(format),
          format,
          dynamicImportInCjs: false,
          /* Editors read them in the declarations. */
          comments: { jsdoc: false },
        },
      }),
    ),
  ),
  /* The declarations of all entries together, so that each type is declared once. */
  ...library.map(
    (format): RolldownOptions => ({
      ...common,
      input: { ...nodeEntries, index: 'src/index.ts', ...callbacksEntry, ...mockEntries },
      plugins: [
        common.plugins,
        dts({ emitDtsOnly: true, oxc: false, tsconfig: 'tsconfig.json' }),
        commentsAboveMembers,
      ],
      output: { ...filesOf(format), format: 'esm' },
    }),
  ),
  {
    ...common,
    /* With pg, so that the CLI needs nothing else for a ledger in Postgres. */
    external: [...common.external.filter((name) => name !== 'pg'), 'pg-native', 'pg-cloudflare'],
    plugins: [withoutGraphql, withoutAjv, ...common.plugins],
    input: { certify: 'bin/certify.ts' },
    output: {
      dir: 'dist/bin',
      format: 'cjs',
      dynamicImportInCjs: false,
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name]-[hash].cjs',
      /* One file for what every command needs: opening a file costs more than reading it. */
      comments: false,
      /* A library for workbooks is large; names stay, for the reports of faults. */
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      codeSplitting: {
        groups: [
          { name: 'manifest', test: /\/package\.json$|rolldown\/runtime/, priority: 1 },
          { name: 'program', test: EVERY_COMMAND },
          { name: 'client', test: CLIENT },
        ],
      },
    },
  },
])
