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
      ['Overview', 'README.md'],
      ['Playground', 'site/playground.md'],
      ['Getting started', 'docs/getting-started.md'],
      ['Inviting', 'docs/inviting.md', examples()],
      ['Errors', 'docs/errors.md'],
    ]),
    section('Keep records', [
      ['The ledger', 'docs/ledger.md'],
      ['Bulk invites from a file', 'docs/bulk.md'],
      ['Callbacks', 'docs/callbacks.md'],
      ['Queues, Postgres, several machines', 'docs/queues.md'],
    ]),
    section('Test', [
      ['Testing', 'docs/testing.md'],
      ['The sandbox page', 'docs/sandbox.md'],
    ]),
    section('Operate', [
      ['Production', 'docs/production.md'],
      ['AI agents', 'docs/agents.md', [{ text: 'SKILL.md', path: 'skills/certify/SKILL.md' }]],
    ]),
    section('Reference', [
      ['Commands', 'docs/cli.md'],
      ['Control API', 'docs/control-api.md'],
      ['API', 'api/index.md', importPaths().map((path) => ({ text: path, path: `api/${path}.md` }))],
    ]),
    section('Background', [
      ['Spec gaps', 'docs/spec-gaps.md'],
      ['Benchmarks', 'docs/benchmarks.md', [{ text: 'How they measure', path: 'bench/README.md' }]],
      ['Architecture', 'docs/architecture.md'],
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
function examples() {
  return readdirSync(join(repository, 'examples'))
    .map((name) => ({ text: name, path: `examples/${name}/README.md` }))
    .filter(({ path }) => existsSync(join(repository, path)))
}
