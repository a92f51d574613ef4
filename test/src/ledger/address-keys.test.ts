import { expect, test } from 'vitest'
import { emailKey } from '../../../src/ledger/rules/key.ts'

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
  ['ẞ, ß and SS', 'GROẞ@example.com', 'groß@example.com'],
  ['ẞ and ss', 'Groẞ@example.com', 'gross@example.com'],
  ['a final sigma', 'νίκος@example.com', 'ΝΊΚΟΣ@example.com'],
  ['the I of Turkish', 'ışık@example.com', 'IŞIK@example.com'],
  ['the İ of Turkish', 'izmir@example.com', 'İZMİR@example.com'],
  ['letters of full width', 'ada@example.com', 'ａｄａ@example.com'],
  ['the ideographic full stop', 'x@例子.公司', 'x@例子。公司'],
])('two spellings of one address have the same key: %s', (_what, one, other) => {
  expect(emailKey(one)).toBe(emailKey(other))
})

test.each([
  ['jurgen@example.com', 'jürgen@example.com'],
  ['x@bucher.example', 'x@bücher.example'],
  ['x@strasse.example', 'x@straße.example'],
  ['ada+a@example.com', 'ada+b@example.com'],
  ['a.da@example.com', 'ada@example.com'],
])('%s and %s are different candidates', (one, other) => {
  expect(emailKey(one)).not.toBe(emailKey(other))
})

test('the key of an address is stable across calls', () => {
  const keys = Array.from({ length: 20_000 }, () => emailKey('ada@ü.de'))
  expect(new Set(keys)).toEqual(new Set(['ada@xn--tda.de']))
})

test('the key of an address is the same in each case and form of each character, and is its own key', () => {
  const forms = (text: string) => [text, ...['NFC', 'NFD', 'NFKC'].map((form) => text.normalize(form))]
  const unstable: string[] = []
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point)
    if (!CHANGING.test(character)) continue
    for (const text of [character, `a${character}b`]) {
      const key = emailKey(`${text}@b.de`)
      const others = [text, text.toUpperCase(), text.toLowerCase()].flatMap(forms).map((each) => `${each}@B.DE`)
      if ([key, ...others].some((each) => emailKey(each) !== key)) unstable.push(`U+${point.toString(16)}`)
    }
  }
  expect(unstable).toEqual([])
})

/* Characters that change with the case or with compatibility forms. */
const CHANGING = /[\p{CWU}\p{CWL}\p{CWKCF}]/u
