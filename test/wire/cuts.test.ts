import { expect, test } from 'vitest'
import { type WireResponse, bytesOf } from './responses.ts'
import { type Body, failing, gzipped, HTML, NOTHING, succeeding } from './bodies.ts'
import { CUTS, describeResponse, FORM, FRAMINGS, STATUSES, spread, WAYS } from './matrix.ts'
import { CallRecord } from './record.ts'
import { referenceOf, run } from './run.ts'
import type { Scenario } from './scenario.ts'

test('wherever a response is cut, no create misreports what was executed or is resent after it was', async () => {
  const tally = await run(cutResponses())
  console.log(tally.report('cut responses'))
  expect(tally.breaches()).toEqual([])
  expect(tally.of('never arrived')).toBe(0)
})

const SHORT_STATUSES = [200, 301, 302, 400, 403, 404, 409, 429, 503]

const BODIES: readonly Body[] = [
  NOTHING,
  HTML,
  succeeding('data whole'),
  gzipped(succeeding('data whole')),
  failing('data whole', ['FORBIDDEN', 'a child']),
  failing('the field null', ['NOT_FOUND', 'a child']),
  failing('no data', ['FORBIDDEN', 'no path']),
  failing('no data', ['RATE_LIMITED', 'no path']),
]

function* cutResponses(): Generator<Scenario> {
  let at = 0
  for (const status of FORM === 'long' ? STATUSES : SHORT_STATUSES) {
    for (const body of BODIES) {
      for (const framing of FRAMINGS) {
        const [fresh, kept] = [false, true].map((keeps) => placesOf({ status, body, framing }, keeps))
        for (const index of fresh?.keys() ?? []) {
          for (const by of spread(CUTS, -at, FORM)) {
            for (const way of spread(WAYS, ++at, 'short')) {
              const place = (way.keeps ? kept : fresh)?.[index]
              if (place === undefined) continue
              const response = { status, body, framing, cut: { at: place, by } }
              yield { name: describeResponse(response), way, steps: [{ executes: 'before', response }] }
            }
          }
        }
      }
    }
  }
}

/* Every byte and the end; in the short form the places where something begins, ends or is half done. */
function placesOf(response: WireResponse, keeps: boolean): readonly number[] {
  const bytes = bytesOf(response, new CallRecord(referenceOf(0)).invite, keeps)
  if (FORM === 'long') return [...bytes.keys(), bytes.length]
  const head = bytes.indexOf('\r\n\r\n') + 4
  const inHead = [0, 9, 12, head - 2, head]
  const size = bytes.length - head
  const inBody = [1, 4, size >> 2, size >> 1, size - 7, size - 2, size].filter((place) => place > 0 && place <= size)
  return [...inHead, ...inBody.map((place) => head + place)]
}
