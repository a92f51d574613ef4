import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, inject, onTestFinished, test } from 'vitest'
import { runIn } from './consumer.ts'

const consumer = inject('consumer')
const installed = join(consumer, 'node_modules/certify-sdk')
/* Not every machine has it. */
const hasGroff = spawnSync('groff', ['--version']).status === 0

test('package.json names every manual page that the package has: npm links no other', () => {
  const { man } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { man: readonly string[] }
  const files = readdirSync(join(installed, 'dist/man')).map((file) => `./dist/man/${file}`)
  expect(man.toSorted()).toEqual(files.toSorted())
})

test.skipIf(!hasGroff)('a manual page of the package has no warning', () => {
  const folder = join(installed, 'dist/man')
  const warnings = readdirSync(folder).flatMap((file) => {
    const input = gunzipSync(readFileSync(join(folder, file)))
    const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8'], { input, encoding: 'utf8' })
    return status === 0 && stderr === '' ? [] : [{ file, status, stderr }]
  })
  expect(warnings).toEqual([])
})

test('a global install puts the manual pages where man finds them', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'certify-prefix-'))
  onTestFinished(() => rmSync(prefix, { recursive: true, force: true }))
  const tarball = readdirSync(consumer).find((file) => file.endsWith('.tgz')) ?? ''
  const flags = ['--global', '--prefix', prefix, '--offline', '--no-audit', '--no-fund']
  const { status, stderr } = runIn(consumer, 'npm', ['install', ...flags, `./${tarball}`])
  expect({ status, stderr }).toMatchObject({ status: 0 })
  const page = (name: string) => gunzipSync(readFileSync(join(prefix, 'share/man/man1', name))).toString()
  expect(page('certify.1.gz')).toMatch(/^\.TH "CERTIFY" 1/)
  expect(page('certify-invites-create.1.gz')).toContain('invite one candidate to one quiz')
})
