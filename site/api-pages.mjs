// Pages of the API, made by TypeDoc from the sources of what package.json exports: one page per import path.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application } from 'typedoc'
import { importPaths } from './import-paths.mjs'
import { repository } from './repository.mjs'

/**
 * Fails on any warning of TypeDoc.
 *
 * @param {string} folder where the pages go
 */
export async function writeApiPages(folder) {
  const entries = new Map(importPaths().map((path) => [sourceOf(path), path]))
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...entries.keys()],
    tsconfig: join(repository, 'tsconfig.json'),
    basePath: repository,
    outputs: [{ name: 'markdown', path: folder }],
    readme: 'none',
    /* Few names are exported. What belongs to one of them is on its page, and a link to it stays text. */
    validation: { notExported: false, invalidLink: false },
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    sortEntryPoints: false,
    /* `npm run typecheck` does that. */
    skipErrorChecking: true,
    logLevel: 'Warn',
    ...MARKDOWN,
  })
  const project = await app.convert()
  if (project === undefined) throw new Error('TypeDoc read no source')
  for (const module of project.children ?? []) {
    const source = project.getSymbolIdFromReflection(module)?.fileName ?? ''
    module.name = entries.get(source) ?? module.name
  }
  app.validate(project)
  await app.generateOutputs(project)
  const { errorCount, warningCount } = app.logger
  if (errorCount + warningCount > 0) throw new Error(`TypeDoc: ${errorCount} errors, ${warningCount} warnings`)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.md'),
  )) {
    const file = join(folder, name)
    writeFileSync(file, withoutInternals(readFileSync(file, 'utf8')))
  }
  writeFileSync(join(folder, 'index.md'), indexOfApi())
}

/* What each path is for, and what a reader looks for first. */
const ABOUT = new Map([
  ['certify-sdk', ['The client of the service, and its errors', 'CertifyClient', 'CertifyError', 'isCertifyError']],
  ['certify-sdk/ledger', ['The record of each create, in an SQLite file', 'openLedger', 'Ledger']],
  ['certify-sdk/ledger/postgres', ['The same ledger in Postgres, for several machines', 'openPostgresLedger']],
  ['certify-sdk/campaign', ['Many invites, with a plan first', 'planCampaign', 'runCampaign']],
  ['certify-sdk/callbacks', ['The events of invites, received once', 'createCallbackHandler', 'callbackUrls']],
  ['certify-sdk/node', ['A `fetch` for a proxy, certificates or other connections', 'createFetch']],
  ['certify-sdk/mock', ['A mock of the service in process', 'createMockServer', 'MockServer']],
  ['certify-sdk/mock/msw', ['The mock as handlers of MSW', 'mswHandlers']],
  ['certify-sdk/mock/vitest', ['A mock for each test of Vitest', 'test']],
])

/** Each import path with a sentence and its main exports. */
function indexOfApi() {
  const lines = importPaths().map((path) => {
    const about = ABOUT.get(path)
    if (about === undefined) throw new Error(`site/api-pages.mjs does not say what ${path} is for`)
    const [sentence, ...names] = about
    const symbols = names.map((name) => `[\`${name}\`](${path}.md#${name.toLowerCase()})`)
    return `- [${path}](${path}.md): ${sentence}. ${symbols.join(', ')}\n`
  })
  return `# API\n\nWhat a program can import, generated from the types and comments of the sources.\n\n${lines.join('')}`
}

/** The class between Error and CertifyError keeps two getters out of logs: to a reader, it is an Error. @param {string} page */
function withoutInternals(page) {
  return page
    .replaceAll(/^#+ (?:Overrides|Inherited from)\n\n`ErrorWithHidden\.\w+`\n+/gm, '')
    .replaceAll('`ErrorWithHidden`', '`Error`')
}

const MARKDOWN = /** @type {object} */ ({
  router: 'module',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  sanitizeComments: true,
  /* TypeDoc numbers names that are alike, VitePress only headings: with its own anchors, its links are right. */
  useHTMLAnchors: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
})

/** @param {string} importPath */
function sourceOf(importPath) {
  const [, ...words] = importPath.split('/')
  const folder = join(repository, ...(words[0] === 'mock' ? ['mock-server', ...words.slice(1)] : ['src', ...words]))
  const found = [`${folder}/index.ts`, `${folder}.ts`].find((file) => existsSync(file))
  if (found === undefined) throw new Error(`no source for ${importPath}`)
  return found
}
