import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Store } from '../../bin/config/store.ts'
import { replaceFile } from '../../bin/replace-file.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'certify-replace-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('a file that is replaced is its owner’s alone, a link to it stays a link, and nothing is left beside it', () => {
  const path = folder()
  writeFileSync(join(path, 'kept'), 'old', { mode: 0o644 })
  symlinkSync(join(path, 'kept'), join(path, 'link'))
  replaceFile(join(path, 'link'), 'new')
  expect(lstatSync(join(path, 'link')).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(path, 'kept'), 'utf8')).toBe('new')
  expect(statSync(join(path, 'kept')).mode & 0o777).toBe(0o600)
  expect(readdirSync(path).toSorted()).toEqual(['kept', 'link'])
})

test('what a killed process of the same number left beside the configuration is not in its way', async () => {
  const path = folder()
  writeFileSync(join(path, `config.json.${process.pid}.new`), '{"prof')
  const store = new Store(path, { now: () => 0, sleep: async () => {} }, false)
  await store.change((kept) => ({ ...kept, config: { profiles: { work: { baseUrl: 'https://api.example.test' } } } }))
  expect(store.config().profiles).toEqual({ work: { baseUrl: 'https://api.example.test' } })
})
