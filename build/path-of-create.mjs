// Prints the files and the named functions of src that one create runs through: by a client with a ledger in a file, over
// HTTP. It never fails: readability wins over a number.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { SourceMap } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { loadConfig } from 'rolldown/config'

mkdirSync('dist', { recursive: true })
/* Below the repository, so that its dependencies are found. */
const folder = mkdtempSync('dist/path-')
process.once('exit', () => rmSync(folder, { recursive: true }))
/** @type {unknown} */
const loaded = await loadConfig('rolldown.config.ts')
for (const { output, ...input } of /** @type {import('rolldown').RolldownOptions[]} */ (loaded)) {
  const options = /** @type {import('rolldown').OutputOptions} */ (output)
  const entries = Object(input.input)
  if (options.format !== 'esm' || !('index.node' in entries || 'mock/index' in entries) || 'index' in entries) continue
  const { output: files } = await (await rolldown(input)).generate({
    ...options,
    sourcemap: true,
  })
  for (const file of files) {
    const path = join(folder, file.fileName)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.type === 'chunk' ? file.code : file.source)
  }
}
const built = (/** @type {string} */ name) => import(pathToFileURL(resolve(folder, name)).href)
/** @type {typeof import('../src/index.ts')} */
const { CertifyClient } = await built('index.node.js')
/** @type {typeof import('../src/ledger/index.ts')} */
const { openLedger } = await built('ledger/index.js')
/** @type {typeof import('../mock-server/index.ts')} */
const { createMockServer } = await built('mock/index.js')

const ledger = await openLedger(join(folder, 'invites.ledger'))
const mock = createMockServer()
const { url: baseUrl } = await mock.listen()
const client = new CertifyClient({ baseUrl, apiKey: mock.apiKey, ledger })
const invite = (/** @type {string} */ reference) => {
  const candidate = { email: `${reference}@example.com` }
  return client.invites.create({ quizId: 'quiz_react_beginner_state', candidate }, { reference })
}
/* The first one also opens the connection, and learns which world the mock has. */
await invite('first')
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await invite('second')
const { result } = await session.post('Profiler.takePreciseCoverage')
session.disconnect()
await ledger.close()
await mock.close()

/** @type {Map<string, string[]>} */
const files = new Map()
for (const { url, functions } of result.filter((script) => script.url.includes(folder))) {
  const path = new URL(url)
  const lines = readFileSync(path, 'utf8').split('\n')
  const map = new SourceMap(JSON.parse(readFileSync(new URL(`${path.href}.map`), 'utf8')))
  for (const { functionName, ranges } of functions) {
    const { startOffset = 0, count = 0 } = ranges[0] ?? {}
    if (count === 0) continue
    const entry = map.findEntry(...placeOf(lines, startOffset))
    const file = ('originalSource' in entry ? entry.originalSource : '').replace(/^(\.\.\/)+/, '')
    if (!file.startsWith('src/')) continue
    const names = files.get(file) ?? []
    files.set(file, names)
    /* Not what V8 makes for fields. */
    if (/^[^<]/.test(functionName)) names.push(functionName)
  }
}
for (const [file, names] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  console.log(`${file.padEnd(32)} ${String(names.length).padStart(3)}  ${names.join(' ')}`)
total('in all (at most 34 files)', () => true)
total('outside the ledger and our own fetch', (file) => !/^src\/(ledger|node)\//.test(file))

/** @param {string} what @param {(file: string) => boolean} isCounted */
function total(what, isCounted) {
  const counted = [...files].filter(([file]) => isCounted(file))
  console.log(`${counted.length} files, ${counted.flatMap(([, names]) => names).length} named functions ${what}`)
}

/** @param {readonly string[]} lines @param {number} offset @returns {[number, number]} */
function placeOf(lines, offset) {
  let line = 0
  for (; offset > (lines[line]?.length ?? 0); line += 1) offset -= (lines[line]?.length ?? 0) + 1
  return [line, offset]
}
