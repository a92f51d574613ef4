import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { lend, repository } from '../package/consumer.ts'
import { animatedSvg } from './animated-svg.mjs'
import { recordBulk } from './record.mjs'
import { Screen } from './screen.mjs'

const recording = readFileSync(join(repository, 'docs/screenshots/bulk.svg'), 'utf8')

test('the recording in the README shows what the command prints today; npm run docs:recording makes it again', async () => {
  lend(inject('consumer'), 'better-sqlite3')
  const cli = join(inject('consumer'), 'node_modules/certify-sdk/dist/bin/certify.cjs')
  expect(recording).toBe(await recordBulk(cli))
})

test('the recording moves without a program, loads nothing, and shows no link, key or token', () => {
  expect(recording).toContain('@keyframes')
  expect(recording).not.toMatch(/<script|\bon\w+=|href|url\(|challenge\/|ck_sandbox/)
})

test('the recording is readable as a still image: its animation begins with the last frame', () => {
  const frames = ['$ certify', '$ certify\r\ndone'].map((output, index) => {
    const screen = new Screen()
    screen.write(output)
    return { atMs: index * 1000, lines: screen.lines(5) }
  })
  const about = { title: 'a < b', columns: 20, rows: 5, endMs: 4000, firstMs: 1500 }
  const svg = animatedSvg(frames, about)
  expect(svg).toContain('g{animation:4000ms step-end -2500ms infinite}')
  expect(svg).toContain('.g0{visibility:visible;animation-name:g0}@keyframes g0{0%{visibility:visible}}')
  expect(svg).toContain(
    '.g1{visibility:visible;animation-name:g1}@keyframes g1{0%{visibility:hidden}25.00%{visibility:visible}}',
  )
  expect(svg).toContain('<title>a &lt; b</title>')
})

test('a screen shows what was overwritten and cleared as a terminal does, and refuses what it does not know', () => {
  const screen = new Screen()
  screen.write('one\r\ntwo\r\u001B[Ktw\u001B[5Go\u001B[2m!\u001B[22m\r\nthree')
  expect(screen.lines(2)).toEqual([
    [
      { text: 'tw  o', style: '' },
      { text: '!', style: 'dim' },
    ],
    [{ text: 'three', style: '' }],
  ])
  screen.write('\u001B[1G\u001B[0J')
  expect(screen.lines(1)).toEqual([[]])
  for (const unknown of ['\u001B[2A', '\u0007', '\u001B[2J', '\u001B[48m']) {
    expect(() => new Screen().write(unknown)).toThrow('The screen does not know')
  }
})
