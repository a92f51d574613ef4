import { expect, test } from 'vitest'
import { nearest } from '../../bin/spelling.ts'

test.each([
  ['lsit', 'list'],
  ['tarcks', 'tracks'],
  ['vew', 'view'],
  ['emial', 'email'],
  ['LIST', 'list'],
  ['xyz', undefined],
])('%s is corrected to %s: a transposition is one edit', (word, meant) => {
  expect(nearest(word, ['list', 'tracks', 'view', 'email'])).toBe(meant)
})
