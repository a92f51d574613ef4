import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { llmsIndex } from '../site/llms.mjs'
import { navigation } from '../site/navigation.mjs'
import { pagesOf } from '../site/pages.mjs'

const root = join(import.meta.dirname, '..')
const listed = pagesOf(navigation())
/* The API pages are generated when the site is built. */
const files = listed.filter((path) => !path.startsWith('api/'))
const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path}`)

test('every page of docs/ is in the navigation of the site once, and every page in the navigation exists', () => {
  expect(listed).toEqual(expect.arrayContaining(guides))
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(new Set(listed).size).toBe(listed.length)
})

test('every import path of the package has an API page', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object }
  const paths = Object.keys(exports).filter((path) => !/\.(json|graphql)$/.test(path))
  expect(listed).toEqual(expect.arrayContaining(paths.map((path) => `api/${path.replace('.', 'certify-sdk')}.md`)))
})

test('llms.txt is up to date (npm run docs updates it)', async () => {
  await expect(llmsIndex('package')).toMatchFileSnapshot(join(root, 'llms.txt'))
})
