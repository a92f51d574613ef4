import { expect, test } from 'vitest'
import { createMockServer, type Fault } from '../../mock-server/index.ts'
import type { Fetch, Hooks, RetryEvent, SettledEvent } from '../../src/index.ts'
import type { AttemptEvent } from '../../src/transport/observe.ts'
import { clientBy, manualClock } from './clock.ts'
import { failureOf } from './failing.ts'

const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } }

function setUp(script: readonly (Fault | 'ok')[], hooks: Hooks, options = {}) {
  const mock = createMockServer()
  if (script.length > 0) mock.faults.add({ script })
  const agents: (string | undefined)[] = []
  const fetch: Fetch = (url, init) => {
    agents.push(init.headers['user-agent'])
    return mock.fetch(url, init)
  }
  const client = clientBy(manualClock(), { baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch, hooks, ...options })
  return { mock, client, agents }
}

test('hooks see every attempt, every retry and the end of a call under one reference', async () => {
  const attempts: AttemptEvent[] = []
  const retries: RetryEvent[] = []
  const ends: SettledEvent[] = []
  const { client } = setUp([503, 'ok'], {
    onAttempt: (event) => void attempts.push(event),
    onRetry: (event) => void retries.push(event),
    onSettled: (event) => void ends.push(event),
  })
  await client.tracks.list()
  const [{ reference } = { reference: '' }] = attempts
  const common = { operation: 'tracks.list', reference, requestId: undefined }
  const first = { ...common, attempt: 1, durationMs: 0, status: 503, code: 'SERVER_FAULT', outcome: 'not-executed' }
  const well = { ...common, status: 200, code: undefined, outcome: undefined }
  expect(attempts).toEqual([first, { ...well, attempt: 2, durationMs: 0 }])
  expect(retries).toEqual([{ ...first, waitMs: 250 }])
  expect(ends).toEqual([{ ...well, attempts: 2, durationMs: 250 }])
})

test('a call aborted while it waits still reports its end', async () => {
  const ends: SettledEvent[] = []
  const controller = new AbortController()
  const { client } = setUp([429, 'ok'], {
    onRetry: () => controller.abort(),
    onSettled: (event) => void ends.push(event),
  })
  await failureOf(client.invites.create(input, { signal: controller.signal }))
  expect(ends).toMatchObject([{ code: 'ABORTED', outcome: 'not-executed', attempts: 1 }])
})

test('a call that fails in the apiKey function still reports its end', async () => {
  const told: string[] = []
  const { client, agents } = setUp(
    [503],
    {
      onAttempt: ({ attempt, code, outcome }) => void told.push(`attempt ${attempt} ${code} ${outcome}`),
      onSettled: ({ attempts, code, outcome }) => void told.push(`end ${attempts} ${code} ${outcome}`),
    },
    { apiKey: () => (agents.length === 0 ? 'ck_sandbox_full_7h2m9q4x1v8c6t3w' : '') },
  )
  await failureOf(client.tracks.list())
  expect(told).toEqual([
    'attempt 1 SERVER_FAULT not-executed',
    'attempt 2 CONFIG_INVALID not-executed',
    'end 2 CONFIG_INVALID not-executed',
  ])
  expect(agents).toHaveLength(1)
})

test('a hook that throws, rejects or hangs changes nothing', async () => {
  const broken = () => {
    throw new Error('mine')
  }
  const rejecting = async () => broken()
  const hanging = () => new Promise<void>(() => {})
  for (const hook of [broken, rejecting as () => void, hanging as () => void]) {
    const { mock, client } = setUp([429, 'ok'], { onAttempt: hook, onRetry: hook, onSettled: hook })
    await client.invites.create(input)
    expect(mock.invites).toHaveLength(1)
  }
})

test('the onResponse of a call sees the headers of each complete response, failed ones too, and changes nothing', async () => {
  const { client } = setUp([503, 'cut', 'ok'], {})
  const seen: (string | null)[] = []
  const onResponse = (header: (name: string) => string | null) => {
    seen.push(header('content-type'))
    throw new Error('mine')
  }
  await client.tracks.list({}, { onResponse })
  expect(seen).toEqual([expect.stringContaining('html'), expect.stringContaining('json')])
  const wrong = await failureOf(client.tracks.list({}, { onResponse: 'x' as never }))
  expect(wrong).toMatchObject({ code: 'CONFIG_INVALID', issues: [{ path: 'onResponse', rule: 'must be a function' }] })
})

test('a hook cannot change what the next one sees', async () => {
  const seen: string[] = []
  const { client } = setUp([], {
    onAttempt: (event) => void Reflect.set(event, 'operation', 'mine'),
    onSettled: ({ operation }) => void seen.push(operation),
  })
  await client.tracks.list()
  expect(seen).toEqual(['tracks.list'])
})

test('the user agent names the client, the runtime and the application', async () => {
  const { client, agents } = setUp([], {}, { appInfo: { name: 'acme-ats', version: '2.1' } })
  await client.tracks.list()
  expect(agents[0]).toMatch(/^certify-sdk\/\d+\.\d+\.\d+ node\/\d+\.\d+\.\d+ acme-ats\/2\.1$/)
})
