// Takes the rules of mutants.mjs out of a copy of the client, one by one, and runs the short harness on it:
//   npm run harness:wire:mutants [-- part of a rule's name]
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, env, execPath } from 'node:process'
import { MUTANTS } from './mutants.mjs'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'certify-mutants-'))
for (const name of [
  'src',
  'bin',
  'test/wire',
  'test/src',
  'test/certificates',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]) {
  cpSync(join(root, name), join(folder, name), { recursive: true })
}
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))

let missed = 0
try {
  const told = harness('')
  if (told !== undefined) throw new Error(`the harness has to hold before anything is taken out; now: ${told}`)
  for (const mutant of MUTANTS.filter(({ rule }) => rule.includes(argv[2] ?? ''))) {
    const noticed = run(mutant)
    if (noticed === undefined) missed += 1
    console.log(`${noticed === undefined ? 'NOT NOTICED' : 'noticed'}: ${mutant.rule}\n    ${noticed ?? ''}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(missed === 0 ? 'every rule is needed' : `${missed} rules can be taken out unnoticed`)
process.exitCode = missed === 0 ? 0 : 1

/** What fails first without the rule; `undefined` where nothing does. @param {import('./mutants.mjs').Mutant} mutant */
function run({ rule, file, from, to, test }) {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(from).length !== 2) throw new Error(`"${rule}": ${file} does not have this once: ${from}`)
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  try {
    return harness(`test/wire/${test}.test.ts`)
  } finally {
    writeFileSync(path, source)
  }
}

/** What fails first; `undefined` where all holds. @param {string} test */
function harness(test) {
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'wire', test]
  const { status, stdout, stderr } = spawnSync(execPath, vitest, { cwd: folder, env: { ...env, NO_COLOR: '1' } })
  if (status === 0) return undefined
  const told = stdout.toString() + stderr.toString()
  return /^\+ +"(.*)",$/m.exec(told)?.[1] ?? /^\w*Error: .*$/m.exec(told)?.[0] ?? told
}
