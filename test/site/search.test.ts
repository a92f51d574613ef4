import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const site = join(import.meta.dirname, '../../site')
const MiniSearch = createRequire(join(site, 'package.json'))('minisearch') as {
  loadJSON(json: string, options: object): Index
}

interface Index {
  search(query: string): readonly { readonly id: string }[]
}

/* The part of the configuration for the search. VitePress and its types are not installed at the root. */
interface Config {
  readonly themeConfig: {
    readonly search: {
      readonly options: { readonly miniSearch: { readonly options: object; readonly searchOptions: object } }
    }
  }
}

/* Searches as the search box does: in the built index, with its defaults and our options. */
const chunks = join(site, 'dist/assets/chunks')
const file = readdirSync(chunks).find((name) => name.includes('localSearchIndex')) ?? ''
const { default: json } = (await import(join(chunks, file))) as { readonly default: string }
const { default: config } = (await import(join(site, '.vitepress/config.mjs'))) as { readonly default: Config }
const { options, searchOptions } = config.themeConfig.search.options.miniSearch
const index = MiniSearch.loadJSON(json, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, ...searchOptions },
  ...options,
})

/* What an integrator types, and the pages that answer it. */
test.each([
  ['how do I invite a candidate', 'inviting', 'getting-started'],
  ['create invite', 'inviting', 'getting-started'],
  ['import csv', 'bulk'],
  ['bulk invite', 'bulk'],
  ['excel hidden rows', 'bulk'],
  ['use with Next.js', 'inviting', 'callbacks', 'examples/nextjs'],
  ['express body parser', 'callbacks'],
  ['webhook signature', 'callbacks'],
  ['callback token', 'callbacks'],
  ['mock in jest', 'testing'],
  ['playwright', 'testing'],
  ['docker', 'testing'],
  ['magic address', 'testing'],
  ['idempotency key', 'inviting', 'ledger'],
  ['lost response', 'errors', 'sandbox'],
  ['ALREADY_INVITED', 'errors'],
  ['exit code 6', 'errors', 'bulk'],
  ['what to tell the recruiter', 'errors'],
  ['retry after 429', 'errors', 'inviting', 'production'],
  ['how long is a link valid', 'inviting'],
  ['cancel an invite', 'inviting'],
  ['where does the quizId come from', 'inviting'],
  ['admin session', 'inviting'],
  ['proxy', 'production'],
  ['rotate api key', 'production', 'callbacks'],
  ['delete personal data', 'production'],
  ['clock skew', 'errors', 'production'],
  ['postgres', 'queues'],
  ['job queue', 'queues'],
  ['MCP server', 'agents'],
])('a search for “%s” finds its page among the first two results', (query, ...pages) => {
  const found = index
    .search(query)
    .slice(0, 2)
    .map(({ id }) => id.split(/[#.]/, 1)[0]?.slice(1))
  expect(pages.some((page) => found.some((each) => each?.startsWith(page))) || found).toBe(true)
})
