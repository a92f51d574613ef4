import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../anchors.mjs'
import { navigation } from '../navigation.mjs'
import { placeOf } from '../pages.mjs'
import { splitReference } from '../reference.mjs'
import { repository } from '../repository.mjs'

const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
const folder = join(import.meta.dirname, '../pages')

/* A file, not a page: the router of the site leaves it to the browser. */
const OPENAPI = { text: 'openapi.json of the control API', link: '/openapi.json', target: '_blank' }

export default defineConfig({
  title: 'certify-sdk',
  description: 'Certification invites from code, from a terminal and in tests.',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  metaChunk: true,
  /* No icon: else a browser asks for one. */
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  /* The search index is one file. */
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  markdown: {
    anchor: { slugify: anchorOf },
    /* The default colours of code are too pale. */
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  /* Long signatures and URLs wrap: see the style. */
  transformPageData(page) {
    if (/^(api\/|control-api)/.test(page.relativePath)) page.frontmatter['pageClass'] = 'api'
  },
  themeConfig: {
    nav: [
      { text: 'Playground', link: '/playground' },
      { text: 'Guide', link: '/getting-started' },
      { text: 'Errors', link: '/errors' },
      { text: 'Commands', link: '/cli' },
      { text: 'API', link: '/api/' },
      { text: `v${version}`, link: '/project/changelog' },
    ],
    sidebar: [
      ...navigation().map(({ text, pages }) => ({ text, items: itemsOf(pages) })),
      { text: 'Downloads', items: [OPENAPI] },
    ],
    outline: { level: [2, 3] },
    externalLinkIcon: true,
    docFooter: { prev: 'Previous', next: 'Next' },
    search: {
      provider: 'local',
      options: {
        /* VitePress sends the text of these functions to the browser: they can use nothing that is defined outside of them. */
        miniSearch: {
          options: {
            /* Questions find what they are about: their small words are in every page. One form of a word stands for all. */
            processTerm: (term) => {
              const word = term
                .toLowerCase()
                .replace(/ies$/, 'y')
                .replace(/(?<=[a-z]{3}[^su])s$/, '')
              if (
                /^(an?|the|i|we|my|is|are|do|doe|does|may|can|how|long|what|where|when|why|to|of|it|for|from|in|on|up|and|not|e|now)$/.test(
                  word,
                )
              )
                return null
              const aliases = {
                email: 'mail',
                webhook: 'callback',
                signature: 'token',
                lambda: 'serverless',
                edge: 'serverless',
                vercel: 'serverless',
                otel: 'opentelemetry',
                duplicate: 'already',
                back: 'backup',
                down: 'outage',
              }
              return Object.hasOwn(aliases, word) ? aliases[/** @type {keyof typeof aliases} */ (word)] : word
            },
          },
          searchOptions: {
            /* Guides come before references, and before what is for contributors. */
            boostDocument: (id) =>
              /^\/(api|cli|control-api|examples|project|bench|skills)\/|^\/(cli|control-api|architecture|benchmarks|spec-gaps)\./.test(
                id,
              )
                ? 0.3
                : 1,
          },
        },
      },
    },
  },
})

/** @param {readonly import('../navigation.mjs').Page[]} list */
function itemsOf(list) {
  return list
    .filter(({ path }) => existsSync(join(folder, placeOf(path))))
    .map(({ text, path, pages: below }) => {
      const items = below === undefined ? partsOf(path) : itemsOf(below)
      return { text, link: linkTo(placeOf(path)), ...(items.length > 0 && { collapsed: true, items }) }
    })
}

/** @param {string} path */
function partsOf(path) {
  if (!existsSync(join(repository, path))) return []
  const { parts } = splitReference(path, readFileSync(join(repository, path), 'utf8'))
  return parts.map(({ title, place }) => ({ text: title.replace(/^certify /, ''), link: linkTo(place) }))
}

/** @param {string} place */
function linkTo(place) {
  return `/${place.replace(/(index)?\.md$/, '')}`
}
