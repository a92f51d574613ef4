import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { QUESTIONS } from './questions.mjs'

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

const idOf = (section: string) => section.replace('.html', '').slice(1)

/** The place of the first section that answers a question. */
function placeOf(question: string, sections: readonly string[]): number {
  const found = index.search(question).map(({ id }) => idOf(id))
  const answers = (section: string) =>
    sections.some((each) => (each.endsWith('#') ? section.startsWith(each.slice(0, -1)) : section === each))
  return found.findIndex(answers)
}

test('of 40 natural questions, 36 find the section that answers them first, and all among the first three', () => {
  expect(QUESTIONS).toHaveLength(40)
  const places = QUESTIONS.map(([question, ...sections]) => ({ question, place: placeOf(question, sections) }))
  expect(places.filter(({ place }) => place < 0 || place > 2)).toEqual([])
  expect(places.filter(({ place }) => place === 0).length).toBeGreaterThanOrEqual(36)
})
