import { expect, test } from 'vitest'
import { hasOneField, kindOf } from '../../src/document.ts'

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

test.each([
  ['mutation { a }', true],
  ['mutation M($i: I! = { x: 1 }, $j: [J!]) @d(x: 1) { a(i: $i, j: $j) { b c { d } } }', true],
  ['mutation { a: create(note: "} b: {") @include(if: true) { id } } # { b }', true],
  ['mutation { a b }', false],
  ['mutation { a: create { id } b: create { id } }', false],
  ['mutation { ...F } fragment F on Mutation { a }', false],
  ['mutation { ... on Mutation { a b } }', false],
  ['mutation { ... { a b } }', false],
  ['mutation A { a } mutation B { b }', false],
  ['', false],
])('%j has one field and no more: %s', (document, expected) => {
  expect(hasOneField(document)).toBe(expected)
})
