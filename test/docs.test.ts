import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { anchorOf } from '../site/anchors.mjs'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'SKILL.md',
  'bench/README.md',
  ...markdownIn('docs'),
  ...markdownIn('examples'),
]

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('every file and folder that %s names exists', (page) => {
  const named = [...prose(page).matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word).filter(isPath)
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test.each(pages)('every link inside of %s leads to a page and a heading that exist', (page) => {
  const links = [...prose(page).matchAll(/(?:\]\(| (?:src|srcset|href)=")(?!https?:)([^)"]+)[)"]/g)].map(
    ([, link = '']) => link,
  )
  expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([])
})

test('the benchmark of the size has the bound in docs/benchmarks.md that it has in its program, and a figure below it', () => {
  const bound = Number(/const BOUND = ([\d_]+)/.exec(read('bench/size.mjs'))?.[1]?.replace('_', ''))
  const [, figure, written] =
    /`npm run bench:size` \| ([\d,]+) bytes \| ([\d,]+) bytes: held/.exec(read('docs/benchmarks.md')) ?? []
  expect(written).toBe(bound.toLocaleString('en'))
  expect(Number(figure?.replace(',', ''))).toBeLessThan(bound)
})

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : markdownIn(path)
    return path.endsWith('.md') ? [path] : []
  })
}

/* Without blocks of code. */
function prose(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/* What begins with a folder of the project. */
function isPath(word: string): boolean {
  return (
    /^[\w.-]+\//.test(word) && !/^(site\/)?dist(\/|$)/.test(word) && existsSync(join(root, word.split('/', 1)[0] ?? ''))
  )
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

function anchorsOf(page: string): readonly string[] {
  return [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
}
