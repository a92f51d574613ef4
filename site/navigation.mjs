// The order of the pages, for the sidebar and for llms.txt. test/docs-navigation.test.ts checks that no page is missing.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { importPaths } from './import-paths.mjs'
import { repository } from './repository.mjs'

/**
 * @typedef {object} Page
 * @property {string} text its name in the sidebar
 * @property {string} path its file in the project; for a page of the API its path in the site
 * @property {readonly Page[]} [pages] the pages below it
 */

/** @typedef {{ readonly text: string, readonly pages: readonly Page[] }} Section */

/** @returns {readonly Section[]} */
export function navigation() {
  return [
    section('Start', [
      ['README', 'README.md'],
      ['Getting started', 'docs/getting-started.md'],
      ['Recipes', 'docs/recipes.md', examples()],
    ]),
    section('Inviting', [
      ['Inviting', 'docs/inviting.md'],
      ['Errors', 'docs/errors.md', errorCodes()],
      ['Unknown outcomes', 'docs/unknown-outcomes.md'],
      ['Options of the client', 'docs/client-options.md'],
    ]),
    section('The ledger', [
      ['The ledger', 'docs/ledger.md'],
      ['On Postgres', 'docs/postgres.md'],
      ['Job queues', 'docs/queues.md'],
    ]),
    section('Many invites', [['Bulk: invites from a file', 'docs/bulk.md']]),
    section('Results', [['Callbacks', 'docs/callbacks.md']]),
    section('Testing', [
      ['Testing with the mock', 'docs/testing.md'],
      ['The sandbox', 'docs/sandbox.md'],
      ['End-to-end tests', 'docs/end-to-end.md'],
      ['The control API', 'docs/mock-control.md'],
      ['Control API: OpenAPI', 'docs/control-api.md'],
      ['Other languages', 'docs/other-languages.md'],
      ['Pipelines', 'docs/pipelines.md'],
    ]),
    section('The command line', [
      ['A first tour', 'docs/command-line.md'],
      ['Every command', 'docs/cli.md'],
      ['AI agents', 'docs/agents.md'],
      ['SKILL.md', 'SKILL.md'],
    ]),
    section('In production', [
      ['Networking', 'docs/networking.md'],
      ['Security and privacy', 'docs/security.md'],
      ['Scale', 'docs/scale.md'],
    ]),
    section('Reference', [
      ['API', 'api/index.md', importPaths().map((path) => ({ text: path, path: `api/${path}.md` }))],
      ['Gaps of the specification', 'docs/spec-gaps.md'],
      ['Architecture', 'docs/architecture.md'],
      ['Exploration of the ledger', 'docs/exploration.md'],
      ['Glossary', 'docs/glossary.md'],
      ['Benchmarks', 'docs/benchmarks.md', [{ text: 'How they measure', path: 'bench/README.md' }]],
      ['Contributing', 'CONTRIBUTING.md'],
      ['Reporting a vulnerability', 'SECURITY.md'],
      ['Changelog', 'CHANGELOG.md'],
    ]),
  ]
}

/**
 * @param {string} text
 * @param {readonly [text: string, path: string, pages?: readonly Page[]][]} pages
 * @returns {Section}
 */
function section(text, pages) {
  return { text, pages: pages.map(([name, path, below]) => ({ text: name, path, ...(below && { pages: below }) })) }
}

/** @returns {readonly Page[]} */
function errorCodes() {
  const names = existsSync(join(repository, 'docs/errors')) ? readdirSync(join(repository, 'docs/errors')) : []
  return names.toSorted().map((name) => ({ text: name.replace('.md', ''), path: `docs/errors/${name}` }))
}

/** @returns {readonly Page[]} */
function examples() {
  return readdirSync(join(repository, 'examples'))
    .map((name) => ({ text: name, path: `examples/${name}/README.md` }))
    .filter(({ path }) => existsSync(join(repository, path)))
}
