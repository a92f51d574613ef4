import { execFileSync, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { describeCommands } from '../bin/help/describe-commands.ts'
import { DryRun } from '../bin/network/dry-run.ts'
import { CommandLine } from '../bin/program.ts'
import { manPages } from '../build/man-pages.ts'
import { code, escaped, prose } from '../build/roff.ts'
import { ioOf } from './bin/run.ts'

const tree = await describeCommands(new CommandLine(ioOf([], {}).io, new DryRun()))
const pages = new Map(manPages(tree, '1.2.3').map(({ file, text }) => [file, text]))

/* Not every machine has it, as newer ones of macOS; CI does. */
const hasGroff = spawnSync('groff', ['--version']).status === 0

/* As a terminal of eighty columns shows it, with every warning. */
function rendered(text: string): { readonly shown: string; readonly warnings: string } {
  const flags = ['-man', '-ww', '-Tutf8', '-P-cbou', '-rLL=80n']
  const { stdout, stderr } = spawnSync('groff', flags, { input: text, encoding: 'utf8' })
  return { shown: stdout, warnings: stderr }
}

test.skipIf(!hasGroff)('every command has a manual page, and certify(1) names them all', () => {
  expect([...pages.keys()]).toEqual([
    'certify.1',
    ...tree.commands.map(({ name }) => `certify-${name.replaceAll(' ', '-')}.1`),
  ])
  const { shown } = rendered(pages.get('certify.1') ?? '')
  for (const { name } of tree.commands) expect(shown).toContain(`\n       certify ${name}\n`)
})

test.skipIf(!hasGroff)('a manual page has no warning, and fits a terminal of eighty columns', () => {
  const faults = [...pages].flatMap(([file, text]) => {
    const { shown, warnings } = rendered(text)
    const wide = shown.split('\n').filter((line) => line.length > 80)
    return warnings === '' && wide.length === 0 ? [] : [{ file, warnings, wide }]
  })
  expect(faults).toEqual([])
})

test.skipIf(!hasGroff)('certify(1) has what a manual page of a program has, and what to do with secrets', () => {
  const { shown } = rendered(pages.get('certify.1') ?? '')
  const headings = shown.split('\n').filter((line) => /^[A-Z][A-Z ]+$/.test(line))
  expect(headings.join(', ')).toBe(
    'NAME, SYNOPSIS, DESCRIPTION, COMMANDS, OPTIONS, OUTPUT, ERRORS, EXIT STATUS, ENVIRONMENT, SCRIPTS, FILES, SECURITY, SEE ALSO',
  )
  expect(shown.replaceAll(/\s+/g, ' ')).toContain('other users of a machine can read the arguments of a process')
  expect(shown).toContain('~/.config/certify/credentials.json')
})

test.skipIf(!hasGroff)('the page of a command has its flags, its examples and the commands beside it', () => {
  const { shown } = rendered(pages.get('certify-invites-create.1') ?? '')
  expect(shown).toContain('certify-invites-create - invite one candidate to one quiz')
  expect(shown).toContain('       --quiz-id <quiz-id>\n')
  expect(shown).toContain('\n  $ certify invites create --quiz-id ')
  expect(shown).toContain('certify(1), certify-invites-list(1)')
})

test.skipIf(!hasGroff)('text comes out of a manual page as it went in: it can be copied', () => {
  const awkward = `.hidden 'x' "y" \\n ~/a-b ^c --flag \`d\``
  const shown = (text: string) =>
    execFileSync('groff', ['-man', '-Tutf8', '-P-cbou'], { input: `.TH X 1\n.SH A\n${text}\n`, encoding: 'utf8' })
  expect(shown(escaped(awkward))).toContain(awkward)
  expect(shown(prose('run `certify bulk --dry-run`.'))).toContain('run certify bulk --dry-run.')
  expect(shown(code('-q, --report <file>'))).toContain('-q, --report <file>')
  /* Debian's groff shows these as they are. Others make typographic characters of them. */
  expect(escaped(awkward)).not.toMatch(/['"`^~]|(?<!\\)-/)
})
