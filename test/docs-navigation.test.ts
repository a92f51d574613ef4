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

test('no guide, program or hint says to delete a ledger', () => {
  const written = ['README.md', 'docs', 'examples', 'skills', 'src', 'bin'].flatMap((top) =>
    top.endsWith('.md')
      ? [top]
      : readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((path) => `${top}/${path}`),
  )
  const said = written
    .filter((path) => /\.(md|ts|js|mjs|yml)$/.test(path) && !path.includes('node_modules'))
    .filter((path) =>
      /\brm -\S+ \S*ledger|\b(delete|remove) (a|the|this|that|your) ledger\b/i.test(
        readFileSync(join(root, path), 'utf8'),
      ),
    )
  expect(said).toEqual([])
})

test('llms.txt is up to date (npm run docs updates it)', async () => {
  await expect(llmsIndex('package')).toMatchFileSnapshot(join(root, 'llms.txt'))
})
