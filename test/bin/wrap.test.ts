import { expect, test } from 'vitest'
import { wrap } from '../../bin/help/wrap.ts'

test('colours take no room in a line', () => {
  const bold = (word: string) => `\u001b[1m${word}\u001b[22m`
  expect(wrap([bold('four'), bold('five'), bold('sixes')].join(' '), '  ', 10)).toBe(
    `${bold('four')} ${bold('five')}\n  ${bold('sixes')}`,
  )
})

test('a letter that takes two cells of a terminal counts as two', () => {
  expect(wrap('李小龙 王小明 Ada', '', 10)).toBe('李小龙\n王小明 Ada')
})

test('a word that is longer than the line stays whole, and the indent belongs to the line', () => {
  expect(wrap('see https://api.example.test/x now', '  ', 12)).toBe('see\n  https://api.example.test/x\n  now')
  expect(wrap('aa bb cc dd', '    ', 9)).toBe('aa bb cc\n    dd')
})
