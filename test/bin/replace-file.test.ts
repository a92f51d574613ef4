import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Store } from '../../bin/config/store.ts'
import { replaceFile } from '../../bin/replace-file.ts'
import { createRunner } from './run.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'certify-replace-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('a file that is replaced is its owner’s alone, and nothing is left beside it', () => {
  const path = folder()
  writeFileSync(join(path, 'kept'), 'old', { mode: 0o644 })
  replaceFile(join(path, 'kept'), 'new')
  expect(readFileSync(join(path, 'kept'), 'utf8')).toBe('new')
  expect(statSync(join(path, 'kept')).mode & 0o777).toBe(0o600)
  expect(readdirSync(path)).toEqual(['kept'])
})

test.each([
  ['bulk', 'people.csv', '--yes', '--report', 'link.csv'],
  ['bulk', 'people.csv', '--yes', '--failed-out', 'link.csv'],
  ['invites', 'resolve', 'reference', '--report', 'link.csv'],
  ['mock', '--port', '0', '--export-on-exit', 'link.csv'],
  ['mock', 'init', 'link.yaml', '--force'],
])('no file is written through a symbolic link, which may be somebody else’s: %s %s %s %s', async (...words) => {
  const path = folder()
  const { mock, certify } = createRunner()
  writeFileSync(join(path, 'people.csv'), 'email,quiz_id\nann@example.com,quiz_react_beginner_state\n')
  writeFileSync(join(path, 'kept'), 'old')
  const argv = words.map((word) => (/^(people|link)\./.test(word) ? join(path, word) : word))
  for (const link of ['link.csv', 'link.yaml']) symlinkSync('kept', join(path, link))
  const ends = words[0] === 'mock' && { interruption: AbortSignal.abort('SIGINT') }
  const { code, stderr } = await certify(argv, { ...ends })
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining('(it is a symbolic link)')])
  expect(readdirSync(path).toSorted()).toEqual(['kept', 'link.csv', 'link.yaml', 'people.csv'])
  expect(readFileSync(join(path, 'kept'), 'utf8')).toBe('old')
  expect(mock.invites).toEqual([])
})

test('what a killed process of the same number left beside the configuration is not in its way', async () => {
  const path = folder()
  writeFileSync(join(path, `config.json.${process.pid}.new`), '{"prof')
  const store = new Store(path, { now: () => 0, sleep: async () => {} }, false)
  await store.change((kept) => ({ ...kept, config: { profiles: { work: { baseUrl: 'https://api.example.test' } } } }))
  expect(store.config().profiles).toEqual({ work: { baseUrl: 'https://api.example.test' } })
})
