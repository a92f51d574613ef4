// The pages of the site, made from the files of the project: they stay plain Markdown for GitHub and the npm package.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { navigation } from './navigation.mjs'
import { splitReference } from './reference.mjs'
import { repository } from './repository.mjs'

const LANDING = 'site/landing.md'

/**
 * Writes the landing page, the pages of the navigation, and each file that a page links to. A source file becomes a page with its
 * text. Fails if a link leads to no file.
 *
 * @param {string} folder
 */
export function writePages(folder) {
  rmSync(folder, { recursive: true, force: true })
  const known = new Set([LANDING, ...pagesOf(navigation()).filter((path) => existsSync(join(repository, path)))])
  for (const path of known) {
    const target = join(folder, placeOf(path))
    mkdirSync(dirname(target), { recursive: true })
    if (isPage(path)) {
      const { index, parts } = splitReference(path, withDetails(withLinks(path, (file) => known.add(file))))
      writeFileSync(target, index)
      if (parts.length > 0) mkdirSync(target.replace(/\.md$/, ''), { recursive: true })
      for (const { place, text } of parts) writeFileSync(join(folder, place), text)
    } else if (isServed(path)) copyFileSync(join(repository, path), target)
    else writeFileSync(target, asPage(path))
  }
}

/** @param {ReturnType<typeof navigation>} sections */
export function pagesOf(sections) {
  return sections.flatMap(({ pages }) =>
    pages.flatMap(({ path, pages: below = [] }) => [path, ...below.map((each) => each.path)]),
  )
}

/** Where a file of the project is in the site. @param {string} path */
export function placeOf(path) {
  /* VitePress serves what is in public/ as it is, from the root of the site. */
  if (isServed(path)) return `public/${path.replace(/^docs\//, '')}`
  if (!isPage(path)) return `${path}.md`
  if (path === LANDING) return 'index.md'
  if (path === 'README.md') return 'overview.md'
  if (path.startsWith('site/')) return path.slice('site/'.length)
  /* A host of files may not tell SECURITY.md from docs/security.md. */
  if (!path.includes('/')) return `project/${path.toLowerCase()}`
  return path.replace(/^docs\//, '').replace(/\/README\.md$/, '/index.md')
}

/** @param {string} path */
const isPage = (path) => path.endsWith('.md')

/** An image, or any other file that is not text. @param {string} path */
const isServed = (path) =>
  !isPage(path) && (extname(path) === '.svg' || readFileSync(join(repository, path)).includes(0))

/**
 * @param {string} page
 * @param {(file: string) => void} onLink
 */
function withLinks(page, onLink) {
  const linkTo = (/** @type {string} */ to) => {
    const file = fileAt(join(dirname(page), to))
    if (file === undefined) throw new Error(`${page} links to ${to}: there is no such file`)
    onLink(file)
    if (placeOf(file).startsWith('public/')) return placeOf(file).slice('public'.length)
    const place = relative(dirname(placeOf(page)), placeOf(file))
    return place.startsWith('.') ? place : `./${place}`
  }
  return outsideOfCode(readFileSync(join(repository, page), 'utf8'), (prose) =>
    (page.startsWith('site/') ? prose : asText(prose))
      .replaceAll(/(?<=\]\()(?!https?:|mailto:|#)[^)#?\s]+/g, linkTo)
      .replaceAll(/(?<=\s(?:src|srcset|href)=")(?!https?:|#)[^"#]+/g, linkTo),
  )
}

/* The section of an error code. The theme opens the one that a link leads to. */
const CODE = /^(### [A-Z_]+)\n([\s\S]*?)(?=^##)/gm

/** @param {string} markdown */
function withDetails(markdown) {
  const summary = '<summary>What it means, and what to do</summary>'
  return markdown.replaceAll(CODE, `$1\n\n<details class="code">\n${summary}\n$2\n</details>\n\n`)
}

/** @param {string} path @returns {string | undefined} */
function fileAt(path) {
  const full = join(repository, path)
  if (!existsSync(full)) return undefined
  return statSync(full).isDirectory() ? fileAt(join(path, 'README.md')) : path
}

/* VitePress reads pages as templates: what is neither Markdown nor one of these elements is text. */
const ELEMENT = /<(?!\/?(?:a|br|details|img|kbd|picture|source|sub|summary|sup)\b|!--|https?:)/g

/** @param {string} prose */
const asText = (prose) => prose.replaceAll(ELEMENT, '&lt;').replaceAll('{{', '&#123;&#123;')

/** @param {string} markdown @param {(prose: string) => string} change */
function outsideOfCode(markdown, change) {
  return markdown
    .split(/(^```[\s\S]*?^```$|`[^`\n]+`)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('')
}

/** @param {string} path */
function asPage(path) {
  const text = readFileSync(join(repository, path), 'utf8')
  const language = extname(path).slice(1) || 'text'
  return `---\nsearch: false\n---\n\n# ${path}\n\n\`\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\`\n`
}
