// Prints the size of each part against its budget. It never fails: readability wins over a number.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const CODE = /\.(ts|tsx|mjs|js|css|graphql|py)$/
const GENERATED = /\/generated\/|docs\/(cli|control-api)\.md$/

/** @param {string} pattern @param {RegExp} names */
const textsOf = (pattern, names) =>
  execFileSync('git', ['ls-files', pattern], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => names.test(file) && !GENERATED.test(file))
    .map((file) => readFileSync(file, 'utf8'))

/** @param {readonly string[]} texts @param {RegExp} unit */
const count = (texts, unit) => texts.reduce((sum, text) => sum + (text.match(unit)?.length ?? 0), 0)

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const guides = textsOf('docs/*.md', /\.md$/)
const rows = [
  ...Object.entries({ src: 7500, bin: 6500, 'mock-server': 9500, test: 30_000, bench: 1500 }).map(
    ([folder, most]) => /** @type {const} */ ([`lines in ${folder}/`, count(textsOf(folder, CODE), /\n/g), most]),
  ),
  /** @type {const} */ (['guides', guides.length, 14]),
  /** @type {const} */ (['lines in guides', count(guides, /\n/g), 4000]),
  /** @type {const} */ (['words in guides', count(guides, /\S+/g), 25_000]),
  /** @type {const} */ (['scripts', Object.keys(manifest.scripts).length, 20]),
  /** @type {const} */ (['development dependencies', Object.keys(manifest.devDependencies).length, 40]),
  /** @type {const} */ (['bytes of package-lock.json', readFileSync('package-lock.json').length, 220_000]),
]
for (const [what, size, most] of rows) {
  console.log(
    `${what.padEnd(28)} ${String(size).padStart(7)} of ${String(most).padStart(6)}${size > most ? '  over' : ''}`,
  )
}
