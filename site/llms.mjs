// The pages of the project as a language model reads them: https://llmstxt.org
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { navigation } from './navigation.mjs'
import { pagesOf, placeOf } from './pages.mjs'
import { repository } from './repository.mjs'

/**
 * Every page with its title and first sentence.
 *
 * @param {'package' | 'site'} place what its links lead to: files of the npm package, or pages of the site
 */
export function llmsIndex(place) {
  const { name, description } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const link = (/** @type {string} */ path) =>
    place === 'package' ? path : `/${placeOf(path).replace(/\.md$/, '.html')}`
  const sections = navigation().map(({ text, pages }) => {
    const paths = pagesOf([{ text, pages }]).filter((path) => isIn(place, path))
    const lines = paths.map((path) => `- [${titleOf(path)}](${link(path)}): ${firstSentenceOf(path)}`)
    return lines.length === 0 ? '' : `## ${text}\n\n${lines.join('\n')}\n\n`
  })
  return `# ${name}\n\n> ${description}\n\n${sections.join('').trimEnd()}\n`
}

/** Every guide, whole. */
export function llmsFull() {
  const paths = pagesOf(navigation()).filter((path) => isIn('package', path))
  return paths
    .map((path) => read(path).trim())
    .join('\n\n---\n\n')
    .concat('\n')
}

/** The folders and files that the npm package has. */
const PACKAGED = /^(docs\/|README\.md$|skills\/|CHANGELOG\.md$)/

/** @param {'package' | 'site'} place @param {string} path */
function isIn(place, path) {
  return existsSync(join(repository, path)) && (place === 'site' || PACKAGED.test(path))
}

/** @param {string} path */
const read = (path) => readFileSync(join(repository, path), 'utf8')

/** @param {string} path */
function titleOf(path) {
  return /^# (.+)$/m.exec(read(path))?.[1] ?? path
}

/** @param {string} path */
function firstSentenceOf(path) {
  const blocks = read(path)
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/^```[\s\S]*?^```$|<!--[\s\S]*?-->/gm, '')
    .split(/\n{2,}/)
  const text = blocks.find((block) => /^[\p{L}`*[]/u.test(block.trim())) ?? ''
  const plain = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('**', '')
  return /^.*?[.:](?= [\p{Lu}`]|$)/u.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
