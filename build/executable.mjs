// Makes one executable from the program and Node.js, for machines without Node.js:
//
//   npm run build && node build/executable.mjs [--node <binary>] [--output <file>]
//
// It needs Node.js 25.5 or later. With the Node.js binary of another platform, the executable is for that platform.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { node: { type: 'string', default: process.execPath }, output: { type: 'string', default: 'dist/certify' } },
})
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 25 || (major === 25 && minor < 5)) {
  console.error(`Node.js ${process.versions.node} cannot make an executable: use 25.5 or later.`)
  process.exit(2)
}

const output = resolve(values.output)
const program = resolve('dist/bin')
const files = readdirSync(program, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.cjs'))
const modules = files.map((file) => [file.replaceAll('\\', '/'), join(program, file)])
const folder = mkdtempSync(join(tmpdir(), 'certify-executable-'))
try {
  const configuration = {
    main: join(import.meta.dirname, 'executable-main.mjs'),
    mainFormat: 'module',
    assets: Object.fromEntries(modules),
    executable: resolve(values.node),
    output,
    disableExperimentalSEAWarning: true,
  }
  const file = join(folder, 'executable.json')
  writeFileSync(file, JSON.stringify(configuration))
  mkdirSync(dirname(output), { recursive: true })
  execFileSync(process.execPath, ['--build-sea', file], { stdio: ['ignore', 'ignore', 'inherit'] })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
