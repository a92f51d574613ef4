import * as z from 'zod/mini'
import { optionalText, parseWith } from '../contract/validation.ts'
import type { Operation } from './operation.ts'

/** What a query string asks of an operation. Throws one error that names everything that is wrong with it. */
export function parsedQuery({ route, query = noParameters(route) }: Operation, sent: Readonly<Record<string, string>>) {
  const values = Object.entries(sent).map(([name, text]) => [name, valueIn(name, text)])
  return parseWith(query, Object.fromEntries(values), 'The query cannot be used')
}

/** The parameters of a list that is returned in pages. */
export const PAGING = {
  limit: whole('How many rows.', 100, 1000),
  page: whole('Which page of them.', 1),
}

/** The parameters of a list that can be searched. */
export const SEARCH = {
  search: optionalText('Text that a row must contain, in any case.'),
  ...PAGING,
}

function whole(description: string, byDefault: number, most = Number.MAX_SAFE_INTEGER) {
  const checks = [z.gte(1), z.lte(most)]
  return z.optional(z.int().check(...checks, z.meta({ description, default: byDefault })))
}

function noParameters(route: string) {
  return z.strictObject({}, { error: ({ keys = [] }) => `${route} has no parameter ${(keys as string[]).join(', ')}` })
}

/** The value in a text. A text that does not fit stays, and is refused by its schema. */
function valueIn(name: string, text: string): unknown {
  if (NUMBERS.has(name) && /^\d+$/.test(text)) return Number(text)
  // A plus sign in a query string is a space. No address has a space.
  return ADDRESSES.has(name) ? text.replaceAll(' ', '+') : text
}

const ADDRESSES: ReadonlySet<string> = new Set(['to', 'email'])
const NUMBERS: ReadonlySet<string> = new Set(['limit', 'page', 'timeoutMs'])
