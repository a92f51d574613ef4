import { array, assert, asyncProperty, boolean, constantFrom, record } from 'fast-check'
import { expect, test } from 'vitest'
import { createMockServer, type Fault } from '../../mock-server/index.ts'
import { type Fetch, isCertifyError } from '../../src/index.ts'
import { clientBy, manualClock } from './clock.ts'

interface Step {
  readonly fault: Fault | 'ok' | 'unsent'
  readonly phase: 'before' | 'after'
}

/* Whatever a network, a gateway or a service may do to one attempt, before or after the create took effect. */
const faults = constantFrom<Step['fault']>(
  'ok',
  'unsent',
  'cut',
  'truncate',
  200,
  302,
  303,
  307,
  400,
  401,
  403,
  404,
  408,
  429,
  500,
  502,
  503,
  504,
  { status: 200, body: '' },
  { status: 200, body: '{}' },
  { status: 200, body: '{"data":null}' },
  { code: 'INTERNAL_SERVER_ERROR' },
  { code: 'INTERNAL_SERVER_ERROR', data: 'null' },
  { code: 'RATE_LIMITED' },
  { code: 'RATE_LIMITED', data: 'null' },
  { code: 'SOMETHING_NEW', data: 'null' },
)
/*
 * HTTP 429 is trusted as proof that nothing happened: a service that limits after the effect could not be told apart.
 */
const steps = record({ fault: faults, phase: constantFrom('before' as const, 'after' as const) }).map(
  (step): Step => (step.fault === 429 ? { ...step, phase: 'before' } : step),
)

/* Responses with which a service denies that it did anything. */
const DENIALS = [302, 307, 400, 401, 403, 404, { code: 'RATE_LIMITED' }]

test('whatever happens to its attempts, a create that may have happened is never retried', async () => {
  await assert(
    asyncProperty(array(steps, { minLength: 1, maxLength: 6 }), boolean(), async (script, asPackage) => {
      const mock = createMockServer()
      for (const { fault, phase } of script) {
        if (fault !== 'ok' && fault !== 'unsent') mock.faults.add({ fault, phase })
        else mock.faults.add({ script: ['ok'] })
      }
      const sent: Step[] = []
      const fetch: Fetch = async (url, init) => {
        const step = script[sent.length] ?? { fault: 'ok', phase: 'before' }
        sent.push(step)
        if (step.fault !== 'unsent') return mock.fetch(url, init)
        await mock.fetch(`${mock.baseUrl}/api/developer/graphql`, { method: 'POST' })
        throw Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' })
      }
      const options = { baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch, retry: { maxAttempts: 10 } }
      const client = clientBy(manualClock(), options)
      const candidate = { email: 'ada@example.com' }
      const call = asPackage
        ? client.packageInvites.create({ packageId: 'pkg_sql_beginner', candidate })
        : client.invites.create({ quizId: 'quiz_sql_beginner_queries', candidate })
      const error: unknown = await call.then(
        () => undefined,
        (reason: unknown) => reason,
      )

      const created = mock.invites.length / (asPackage ? 2 : 1)
      expect(created).toBeLessThanOrEqual(1)
      /* All attempts but the last were proven not to have happened. */
      for (const { fault } of sent.slice(0, -1)) expect(['unsent', 429]).toContain(fault)
      /* And no error says that nothing was created when it was, unless the service itself denied it. */
      const last = sent.at(-1)?.fault
      const denied = error !== undefined && isCertifyError(error) && error.outcome === 'not-executed'
      expect({
        error: error === undefined || isCertifyError(error),
        created: error === undefined ? created : 1,
      }).toEqual({
        error: true,
        created: 1,
      })
      expect(denied && created === 1 ? DENIALS : [last]).toContainEqual(last)
    }),
    { numRuns: 300 },
  )
})
