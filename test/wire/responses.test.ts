import { expect, test } from 'vitest'
import { HTML, NOTHING, succeeding } from './bodies.ts'
import { BODIES, CUTS, describeResponse, FORM, FRAMINGS, SOUND, STATUSES, spread, WAYS } from './matrix.ts'
import { run } from './run.ts'
import type { Scenario } from './scenario.ts'
import type { Step } from './service.ts'

test('whatever the service responds, no create misreports what was executed or is resent after it was', async () => {
  const tally = await run(wholeResponses())
  console.log(tally.report('whole responses'))
  expect(tally.breaches()).toEqual([])
  expect(tally.of('never arrived')).toBe(0)
})

test('an interim response is not taken for the response', async () => {
  const tally = await run(interimResponses())
  console.log(tally.report('interim responses'))
  expect(tally.breaches()).toEqual([])
  expect(tally.of('told created')).toBeGreaterThan(0)
})

/* An unambiguous refusal: the call is retried. */
const LIMITED: Step = { executes: 'never', response: { status: 429, body: NOTHING, framing: 'content-length' } }

/* Statuses with a meaning of their own. For the others the short form takes every third body. */
const OFTEN = new Set<number>([200, 201, 204, 301, 302, 303, 400, 401, 403, 404, 408, 409, 429, 500, 503])

function* wholeResponses(): Generator<Scenario> {
  let at = 0
  for (const status of STATUSES) {
    for (const [index, body] of BODIES.entries()) {
      if (FORM === 'short' && !OFTEN.has(status) && (index + status) % 3 > 0) continue
      for (const way of spread(WAYS, at, FORM)) {
        at += 1
        const [framing = 'close'] = spread(FRAMINGS, -at, 'short')
        const response = { status, body, framing }
        const step: Step = { executes: at % 7 > 0 ? 'before' : 'never', response }
        const steps = at % 5 > 0 ? [step] : [LIMITED, step]
        const mustSucceed = SOUND.includes(body) && (status === 200 || status === 201)
        yield { name: describeResponse(response), way, steps, mustSucceed }
      }
    }
  }
}

function* interimResponses(): Generator<Scenario> {
  for (const way of WAYS) {
    for (const interim of [[100], [102], [103], [100, 103]]) {
      for (const status of [200, 403, 503]) {
        const response = { status, body: succeeding('data whole'), framing: 'content-length', interim } as const
        /* The fetch of Node.js ends a connection at an unrequested 100. */
        const mustSucceed = status === 200 && !(way.fetch === 'global' && interim.includes(100))
        yield { name: describeResponse(response), way, steps: [{ executes: 'before', response }], mustSucceed }
      }
    }
    for (const status of [100, 101, 102, 103]) {
      for (const by of CUTS) {
        const response = { status, body: HTML, framing: 'none', cut: { at: 10_000, by } } as const
        yield { name: describeResponse(response), way, steps: [{ executes: 'before', response }] }
      }
    }
  }
}
