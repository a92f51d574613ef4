import type { WireResponse, CutBy, Framing } from './responses.ts'
import {
  type Body,
  CODES,
  type Data,
  failing,
  gzipped,
  HTML,
  NOTHING,
  oddErrors,
  otherJson,
  PATHS,
  succeeding,
} from './bodies.ts'
import { FETCHES } from './fetches.ts'
import type { Way } from './scenario.ts'

/** `short`: every response, spread over the ways. `long`: every response over every way, cut at every byte. */
export type Form = 'short' | 'long'

export const FORM: Form = process.env['WIRE_HARNESS'] === 'long' ? 'long' : 'short'

export const STATUSES = [
  200, 201, 204, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 413, 415, 418, 421, 422, 425, 429,
  431, 451, 499, 500, 501, 502, 503, 504, 520,
] as const

export const FRAMINGS: readonly Framing[] = ['content-length', 'chunked', 'close']
export const CUTS: readonly CutBy[] = ['fin', 'rst', 'stall']

/** Every way to the service. */
export const WAYS: readonly Way[] = FETCHES.flatMap((fetch) =>
  [false, true].flatMap((secure) => [false, true].map((keeps) => ({ fetch, secure, keeps }))),
)

/** The complete list, or in the short form one item of it: pseudo-random by number, and reproducible. */
export function spread<T>(list: readonly T[], at: number, form: Form): readonly T[] {
  const index = Math.floor((scatter(at) / 2 ** 32) * list.length)
  return form === 'long' ? list : list.slice(index, index + 1)
}

/* The finalizer of MurmurHash3: neighbouring numbers end up far apart. */
function scatter(at: number): number {
  let bits = at + 1
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

const EMPTY: readonly Data[] = ['no data', 'data null', 'the field null']
const PARTS: readonly Data[] = [...EMPTY, 'data whole']
const PLAIN_PATHS = ['no path', 'the field', 'a child', 'an index']
const ODD_PATHS = Object.keys(PATHS).filter((path) => !PLAIN_PATHS.includes(path))

const OTHER_DATA: readonly Data[] = [...EMPTY, 'data without a link', 'data of another field', 'data that is empty']
const WHOLE = succeeding('data whole')
const COMPRESSED = gzipped(WHOLE)

/** Valid bodies. */
export const SOUND: readonly Body[] = [WHOLE, COMPRESSED]

/** Every kind of body. */
export const BODIES: readonly Body[] = [
  NOTHING,
  HTML,
  gzipped(HTML),
  ...[[], {}, 'ok', null, 7, { message: 'no' }, { error: 'no' }].map(otherJson),
  WHOLE,
  ...OTHER_DATA.map(succeeding),
  COMPRESSED,
  ...PARTS.flatMap((data) => [{}, 'no', [null], [], ['no'], [[]], null, 0].map((errors) => oddErrors(data, errors))),
  ...PLAIN_PATHS.flatMap((path) => CODES.flatMap((code) => PARTS.map((data) => failing(data, [code, path])))),
  ...ODD_PATHS.flatMap((path) =>
    ([...CODES.slice(0, 2), 'RATE_LIMITED', undefined] as const).flatMap((code) =>
      EMPTY.map((data) => failing(data, [code, path])),
    ),
  ),
  ...EMPTY.flatMap((data) => [
    failing(data, ['FORBIDDEN', 'the field'], ['FORBIDDEN', 'a child']),
    failing(data, ['FORBIDDEN', 'no path'], ['QUOTA_EXCEEDED', 'the field']),
    failing(data, ['FORBIDDEN', 'the field'], [undefined, 'the field']),
    failing(data, ['BAD_USER_INPUT', 'the field'], ['FORBIDDEN', 'the field']),
  ]),
  gzipped(failing('no data', ['FORBIDDEN', 'a child'])),
]

/** A response, including any interim responses before it. */
export function describeResponse({ status, body, framing, interim = [], cut }: WireResponse): string {
  const before = interim.map((each) => `${each}, `).join('')
  return `${before}HTTP ${status}, ${body.name}, ${framing}${cut ? `, cut at ${cut.at} by ${cut.by}` : ''}`
}
