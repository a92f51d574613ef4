import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const built = join(import.meta.dirname, '../../site/dist')
const pages = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'))
const texts = new Map(pages.map((path) => [`/${path}`, readFileSync(join(built, path), 'utf8')]))

test('every link on the built pages leads to an existing page and heading', () => {
  expect(pages.length).toBeGreaterThan(30)
  const dead = [...texts].flatMap(([page, html]) => linksOf(html).filter((link) => !leadsSomewhere(page, link)))
  expect(dead).toEqual([])
})

test('every page is text', () => {
  expect([...texts].filter(([, html]) => html.includes('\uFFFD')).map(([page]) => page)).toEqual([])
})

test('the pages load nothing from other hosts', () => {
  for (const html of texts.values()) {
    expect(html.match(/<(?:script|link|img|source|iframe)[^>]*(?:src|srcset|href)="(?:https?:)?\/\/[^"]*"/g)).toBe(null)
  }
})

test('the site has the OpenAPI document of the control API, and its pages are in llms.txt', () => {
  const read = (path: string): string => readFileSync(join(built, path), 'utf8')
  expect(JSON.parse(read('openapi.json'))).toMatchObject({ openapi: expect.stringMatching(/^3/) })
  expect(texts.get('/control-api.html')).toContain('href="/openapi.json"')
  const links = [...read('llms.txt').matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((link) => !isPage(link))).toEqual([])
  expect(read('llms-full.txt')).toContain('# The ledger')
})

function linksOf(html: string): readonly string[] {
  return [...html.matchAll(/<a [^>]*href="([^"]+)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => !/^(https?|mailto):/.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const { pathname, hash } = new URL(link, `http://site${page}`)
  if (!isPage(pathname)) return false
  const html = texts.get(pathname.replace(/\/$/, '/index.html'))
  return hash === '' || html?.includes(` id="${decodeURIComponent(hash.slice(1))}"`) === true
}

function isPage(path: string): boolean {
  const file = join(built, path.replace(/\/$/, '/index.html'))
  return existsSync(file) && statSync(file).isFile()
}
