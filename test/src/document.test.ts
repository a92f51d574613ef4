import { expect, test } from 'vitest'
import { kindOf } from '../../src/document.ts'

test.each([
  ['{ a }', 'query'],
  ['query Q($x: [Int!] = [1, 2]) { a(x: $x) { mutation } }', 'query'],
  ['query ($t: String = "mutation { a }") { a }', 'query'],
  ['# mutation M { a }\nquery { a }', 'query'],
  ['"""\nmutation \\""" { a }\n""" query { a }', 'query'],
  ['fragment F on T { a } query { ...F }', 'query'],
  ['mutation { a }', 'mutation'],
  ['query A { a } mutation B { b }', 'mutation'],
  ['fragment F on T { a }\nmutation($x: I!) { b(x: $x) { ...F } }', 'mutation'],
  ['subscription { a }', 'mutation'],
  ['query { a', 'mutation'],
  ['query mutation { a }', 'mutation'],
])('%j counts as a %s: what is not provably a query counts as a create', (document, kind) => {
  expect(kindOf(document)).toBe(kind)
})
