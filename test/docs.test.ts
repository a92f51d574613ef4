import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...markdownIn('docs'),
  ...markdownIn('docs/errors'),
]

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('every file and folder that %s names exists', (page) => {
  const named = [...prose(page).matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word).filter(isPath)
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test.each(pages)('every link inside of %s leads to a page and a heading that exist', (page) => {
  const links = [...prose(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([])
})

function markdownIn(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.map((name) => `${folder}/${name}`)
}

/* Without blocks of code. */
function prose(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/* What begins with a folder of the project. */
function isPath(word: string): boolean {
  return /^[\w.-]+\//.test(word) && !word.startsWith('dist/') && existsSync(join(root, word.split('/', 1)[0] ?? ''))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

/* As GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
