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
const linesIn = (/** @type {readonly string[]} */ folders) =>
  count(
    folders.flatMap((folder) => textsOf(folder, CODE)),
    /\n/g,
  )
/** @type {readonly (readonly [what: string, size: number, most: number])[]} */
const rows = [
  ['lines in src', linesIn(['src/']), 11_900],
  ['lines in bin', linesIn(['bin/']), 12_900],
  ['lines in mock-server', linesIn(['mock-server/']), 12_000],
  ['lines in src, bin and mock-server', linesIn(['src/', 'bin/', 'mock-server/']), 36_500],
  ['lines in test', linesIn(['test/']), 41_000],
  ['guides', guides.length, 14],
  ['words in guides', count(guides, /\S+/g), 25_000],
  ['scripts', Object.keys(manifest.scripts).length, 23],
  ['development dependencies', Object.keys(manifest.devDependencies).length, 41],
]
for (const [what, size, most] of rows) {
  console.log(
    `${what.padEnd(34)} ${String(size).padStart(7)} of ${String(most).padStart(6)}${size > most ? '  over' : ''}`,
  )
}
