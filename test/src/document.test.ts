import { expect, test } from 'vitest'
import { readDocument } from '../../src/operations.ts'

test.each([
  ['{ a }', 'query'],
  [' query Q($x: [Int!] = [1, 2]) { a(x: $x) { b } }', 'query'],
  ['mutation { a }', 'mutation'],
  ['query A { a } mutation B { b }', 'mutation'],
  ['fragment F on T { a }\nmutation($x: I!) { b(x: $x) { ...F } }', 'mutation'],
  ['subscription { a }', 'mutation'],
  ['# a query\n{ a }', 'mutation'],
])('$0 counts as a $1: whatever is not certainly a query counts as a create', (document, kind) => {
  expect(readDocument(document).kind).toBe(kind)
})
