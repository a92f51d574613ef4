import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { repository, runIn } from './consumer.ts'
import { blocksOf, commandsOf, deadLinksOf, GUIDES, LINKED, PAGES, proseOf, read } from './pages.ts'

const consumer = inject('consumer')

const MAX_GUIDES = 14
const MAX_LINES = 4_000
const MAX_WORDS = 25_000

test('docs/spec-gaps.md states how many gaps there are and how many have a switch', () => {
  const rows = read('docs/spec-gaps.md').match(/^\| (?!Open )[^|]+ \| [^|]+ \| [^|]+ \|$/gm) ?? []
  const withSwitch = rows.filter((row) => row.includes('Switch `'))
  expect(read('docs/spec-gaps.md').replaceAll('\n', ' ')).toContain(`${withSwitch.length} of the ${rows.length} gaps`)
})

test('the guides stay within their size limits', () => {
  const texts = GUIDES.map(read)
  expect(GUIDES.length).toBeLessThanOrEqual(MAX_GUIDES)
  expect(texts.join('').split('\n').length).toBeLessThanOrEqual(MAX_LINES)
  expect(texts.join('\n').trim().split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS)
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(121)
})

test.each(LINKED)('every link in %s leads to an existing file and heading', (page) => {
  expect(deadLinksOf(page)).toEqual([])
})

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('every file and folder that %s names exists', (page) => {
  const named = [...proseOf(page).matchAll(/`([\w.-]+\/[^`\s]*)`/g)].map(([, path = '']) => path)
  const ours = named.filter((path) => existsSync(join(repository, path.split('/', 1)[0] ?? '')))
  expect(ours.length).toBeGreaterThan(0)
  expect(ours.filter((path) => !/^(site\/)?dist\//.test(path) && !existsSync(join(repository, path)))).toEqual([])
})

describe.each(PAGES)('%s', (page) => {
  test('has code of at most 80 columns, and valid JSON and YAML', () => {
    const blocks = blocksOf(page)
    /* SKILL.md has one command per line, however long. */
    const isWide = (line: string) => line.length > 80 && page !== 'skills/certify/SKILL.md'
    expect(blocks.flatMap(({ code }) => code.split('\n').filter(isWide))).toEqual([])
    for (const { language, code } of blocks) {
      if (language === 'json') JSON.parse(code)
      if (language === 'yaml') parseYaml(code)
    }
  })

  test('names only existing commands and options', () => {
    const unknown = commandsOf(page).filter((words) => !isCommand(words))
    expect(unknown.map((words) => words.join(' '))).toEqual([])
  })
})

/* The help of a command lists all its options. */
const helps = new Map<string, string>()

function helpOf(command: string): string {
  const known = helps.get(command)
  if (known !== undefined) return known
  const { status, stdout } = runIn(consumer, 'node_modules/.bin/certify', [
    ...command.split(' ').filter(Boolean),
    '--help',
  ])
  const help = status === 0 ? stdout : ''
  helps.set(command, help)
  return help
}

function isCommand(words: readonly string[]): boolean {
  const isGroup = new RegExp(`^  ${words[0]} [a-z]+\\|?`, 'm').test(helpOf(''))
  const verb = isGroup && /^[a-z]+$/.test(words[1] ?? '') ? words.slice(0, 2) : words.slice(0, 1)
  const command = words[0]?.startsWith('-') ? '' : verb.join(' ')
  const help = helpOf(command)
  const options = words.flatMap((word) => /^(--[a-z][\w-]*|-[a-zA-Z])(?:=.*)?$/s.exec(word)?.[1] ?? [])
  if (words.includes('--help')) return help !== ''
  return help !== '' && options.every((option) => new RegExp(`${option}\\b`).test(help + helpOf('')))
}
