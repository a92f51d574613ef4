import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { emailKey } from '../../../src/ledger/rules/key.ts'
import { failureOf } from '../failing.ts'
import { all, guardedSetting, QUIZ } from './setting.ts'

const international = () => guardedSetting({ behaviour: { internationalEmail: 'accept' } })

test.each([
  ['composed and decomposed letters', 'jürgen@example.com', 'ju\u0308rgen@example.com'],
  ['upper and lower case', 'jürgen@example.com', 'JÜRGEN@EXAMPLE.COM'],
  ['upper case and decomposed letters', 'jürgen@example.com', 'JU\u0308RGEN@example.com'],
  ['a domain in Unicode and in Punycode', 'x@bücher.example', 'x@xn--bcher-kva.example'],
  ['a domain in Unicode and in Punycode, upper case', 'x@BÜCHER.example', 'X@XN--BCHER-KVA.EXAMPLE'],
  ['a domain with ß, in Punycode too', 'x@straße.example', 'x@xn--strae-oqa.example'],
  ['a domain with a final sigma, in Punycode too', 'x@βόλος.example', 'x@xn--nxasmm1c.example'],
  ['a domain that ends in sigma, in Punycode too', 'x@βόλοσ.example', 'x@xn--nxasmq6b.example'],
  ['a decomposed domain', 'x@bücher.example', 'x@bu\u0308cher.example'],
  ['ß and the SS of its upper case', 'strauß@example.com', 'STRAUSS@example.com'],
  ['a final sigma', 'νίκος@example.com', 'ΝΊΚΟΣ@example.com'],
  ['the I of Turkish', 'ışık@example.com', 'IŞIK@example.com'],
  ['the İ of Turkish', 'izmir@example.com', 'İZMİR@example.com'],
  ['letters of full width', 'ada@example.com', 'ａｄａ@example.com'],
  ['the ideographic full stop', 'x@例子.公司', 'x@例子。公司'],
])('one candidate in two spellings, by %s, is invited once', async (_what, one, other) => {
  const { guarded, ledger, mock } = await international()
  await guarded.invites.create({ quizId: QUIZ, candidate: { email: one } })
  const error = await failureOf(guarded.invites.create({ quizId: QUIZ, candidate: { email: other } }))
  expect(error.code).toBe('ALREADY_INVITED')
  expect(mock.invites).toHaveLength(1)
  /* Its entries are found by either spelling. */
  expect(await all(ledger.list({ email: other }))).toHaveLength(1)
  expect(await ledger.purge({ email: other })).toEqual({ removed: 1, kept: 0 })
})

test.each([
  ['jurgen@example.com', 'jürgen@example.com'],
  ['x@bucher.example', 'x@bücher.example'],
  ['x@strasse.example', 'x@straße.example'],
  ['ada+a@example.com', 'ada+b@example.com'],
  ['a.da@example.com', 'ada@example.com'],
])('%s and %s are two candidates', async (one, other) => {
  const { guarded, mock } = await international()
  await guarded.invites.create({ quizId: QUIZ, candidate: { email: one } })
  await guarded.invites.create({ quizId: QUIZ, candidate: { email: other } })
  expect(mock.invites).toHaveLength(2)
})

test('the key of an ASCII address is what older versions recorded: trimmed and in lower case', () => {
  const ascii = string({ unit: 'grapheme-ascii' })
  assert(
    property(ascii, (text) => emailKey(text) === text.trim().toLowerCase()),
    { numRuns: 2000 },
  )
})
