// Runs the benchmarks one after another, each in its own process: all of them, or the ones that are named. With --write, all
// of them, and their figures become the table of docs/benchmarks.md.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'

const ALL = ['size', 'start', 'call', 'mock', 'page', 'campaign', 'claim', 'reads', 'studio', 'second-terminal']

const here = import.meta.dirname
const named = process.argv.slice(2).filter((argument) => argument !== '--write')
const isLeague = named.includes('league')
if (isLeague && named.length > 1) throw new Error('npm run bench -- league runs alone')
const isWritten = process.argv.includes('--write') && (named.length === 0 || isLeague)
const folder = isLeague ? `${here}/league` : here
/* npm writes it once everything is installed. */
const installed = statSync(`${folder}/node_modules/.package-lock.json`, { throwIfNoEntry: false })
if (installed === undefined || installed.mtimeMs < statSync(`${folder}/package-lock.json`).mtimeMs) {
  execFileSync('npm', ['ci', '--loglevel=error'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}
const [processor] = cpus()
const gigabytes = Math.round(totalmem() / 2 ** 30)
const machine = `Node.js ${process.version}, ${cpus().length} × ${processor?.model}, ${gigabytes} GB, ${process.platform}`
console.log(machine)
const rows = []
for (const name of named.length > 0 ? named : ALL) {
  const load = (loadavg()[0] ?? 0).toFixed(1)
  console.log(`\n${name}, load ${load}`)
  const child = spawn(process.execPath, [`${folder}/${name}.mjs`], { stdio: ['ignore', 'pipe', 'inherit'] })
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
    rows.push(`|\`${name}\`|${what}|${figure}|${bound}|${load}|`)
  }
  if (isLeague) rows.push(...(output.match(/^\|.*$/gm) ?? []))
}
if (isWritten) write()

/* Each table is between two comments; the first one names its command. */
function write() {
  const page = `${here}/../docs/benchmarks.md`
  const head = isLeague ? [] : ['|Program|What|Figure|Bound|Load|', '|---|---|---|---|---|']
  const run = `${machine}, ${new Date().toISOString().slice(0, 10)}.\n\n${[...head, ...rows].join('\n')}`
  const text = readFileSync(page, 'utf8')
  const begin = `<!-- npm run bench --${isLeague ? ' league' : ''} --write -->\n\n`
  const from = text.indexOf(begin) + begin.length
  writeFileSync(page, text.slice(0, from) + run + text.slice(text.indexOf('\n\n<!-- end -->', from)))
}
