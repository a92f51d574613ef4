// The references are one file each in the repository. On the site, each section of level 2 is a page, and the file is their index.

/** The files, each with the headings that become pages. The first group is the title of the page. */
const SPLIT = new Map([
  ['docs/cli.md', /^## (certify .*)$/],
  ['docs/control-api.md', /^## (.*)$/],
])

/**
 * @typedef {object} Part
 * @property {string} title
 * @property {string} place its page in the site
 * @property {string} text
 */

/**
 * Splits a reference.
 *
 * @param {string} path of its file
 * @param {string} markdown its text, with links for the folder of its page
 * @returns {{ index: string, parts: readonly Part[] }} for any other file its own text, and no parts
 */
export function splitReference(path, markdown) {
  const heading = SPLIT.get(path)
  if (heading === undefined) return { index: markdown, parts: [] }
  const folder = path.replace(/^docs\/(.*)\.md$/, '$1')
  const [intro = '', ...sections] = markdown.split(/^(?=## )/m)
  const parts = sections.flatMap((section) => {
    const title = heading.exec(section.split('\n', 1)[0] ?? '')?.[1]
    if (title === undefined) return []
    const place = `${folder}/${title.toLowerCase().replaceAll(' ', '-')}.md`
    return [{ title, place, text: raised(section).replaceAll('](./', '](../') }]
  })
  const kept = sections.filter((section) => !heading.test(section.split('\n', 1)[0] ?? ''))
  /* In the repository, the list leads to the sections. */
  const start = intro.replaceAll(/^- \[.*\]\(#.*\)\n/gm, '')
  const list = parts.map(({ title, place, text }) => `- [${title}](./${place}): ${firstSentenceOf(text)}\n`)
  return { index: [start.trimEnd(), '\n\n', ...list, '\n', ...kept].join(''), parts }
}

/** Its headings one level higher, outside of code. @param {string} section */
function raised(section) {
  return section.replaceAll(/^#(?=#+ )/gm, '')
}

/** @param {string} section */
function firstSentenceOf(section) {
  const [, paragraph = ''] = section.split(/\n{2,}/)
  return /^.*?\.(?= |$)/.exec(paragraph)?.[0] ?? paragraph
}
