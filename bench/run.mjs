// Runs the benchmarks one after another, each in its own process: all of them, or the ones that are named. With --write, all
// of them, and their figures become the table of docs/benchmarks.md.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'

const ALL = ['size', 'start', 'call', 'mock', 'page', 'campaign', 'claim', 'reads', 'second-terminal']

const here = import.meta.dirname
/* npm writes it once everything is installed. */
const installed = statSync(`${here}/node_modules/.package-lock.json`, { throwIfNoEntry: false })
if (installed === undefined || installed.mtimeMs < statSync(`${here}/package-lock.json`).mtimeMs) {
  execFileSync('npm', ['ci', '--loglevel=error'], { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] })
}

const named = process.argv.slice(2).filter((argument) => argument !== '--write')
const isWritten = process.argv.includes('--write') && named.length === 0
const [processor] = cpus()
const gigabytes = Math.round(totalmem() / 2 ** 30)
const machine = `Node.js ${process.version}, ${cpus().length} × ${processor?.model}, ${gigabytes} GB, ${process.platform}`
console.log(machine)
const rows = []
for (const name of named.length > 0 ? named : ALL) {
  const load = (loadavg()[0] ?? 0).toFixed(1)
  console.log(`\n${name}, load ${load}`)
  const child = spawn(process.execPath, [`${here}/${name}.mjs`], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text)
    output += text
  })
  const [status] = await once(child, 'close')
  if (status !== 0) process.exitCode = 1
  for (const [, what, figure, bound = ''] of output.matchAll(
    /^(?:held|missed|noted) +(.*): (.*?)(?:, bound (.*))?$/gm,
  )) {
    rows.push(`| \`${name}\` | ${what} | ${figure} | ${bound} | ${load} |`)
  }
}
if (isWritten) write()

/* The table is between two comments. */
function write() {
  const page = `${here}/../docs/benchmarks.md`
  const head = '| Program | What | Figure | Bound | Load |\n|---|---|---|---|---|'
  const run = `${machine}, ${new Date().toISOString().slice(0, 10)}.\n\n${head}\n${rows.join('\n')}`
  const text = readFileSync(page, 'utf8')
  writeFileSync(
    page,
    text.replace(/(<!-- npm run bench.*-->\n\n)[\s\S]*(\n\n<!-- end -->)/, (_all, begin, end) => begin + run + end),
  )
}
