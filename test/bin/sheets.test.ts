import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBulk, QUIZ } from './bulk.ts'

interface Expected {
  readonly expect: 'go' | 'stop'
  /** Whether even a person who reads the plan is stopped. */
  readonly stopsAtTerminal?: boolean
}

const folder = join(import.meta.dirname, 'sheets')
const sheets = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, Expected>
const of = (kind: Expected['expect']) => Object.entries(sheets).filter(([, { expect: end }]) => end === kind)

const dryRun = (name: string, ...flags: readonly string[]) =>
  createBulk().run(['bulk', join(folder, name), '--quiz-id', QUIZ, '--dry-run', '--json', ...flags])

test.each(of('stop'))('%s says whom not to invite, and a person decides', async (name, { stopsAtTerminal = true }) => {
  const { code, stderr } = await dryRun(name, '--yes')
  expect([code, JSON.parse(stderr)]).toMatchObject([2, { error: { code: 'SHEET_SAYS_NO' } }])
  expect((await dryRun(name)).code).toBe(stopsAtTerminal ? 2 : 0)
})

test.each(of('go'))('%s leaves nobody out: its plan is shown', async (name) => {
  expect(await dryRun(name)).toMatchObject({ code: 0, stderr: '' })
})
