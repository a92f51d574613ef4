import { afterEach, expect, test, vi } from 'vitest'
import { createMockServer, type Fault } from '../../mock-server/index.ts'
import type { DebugFacts } from '../../src/index.ts'
import { clientBy, manualClock } from './clock.ts'
import { failureOf } from './failing.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } }
const mine = { reference: 'mine-1' }

function setUp(script: readonly (Fault | 'ok')[], debug: unknown, more: object = {}) {
  const mock = createMockServer()
  if (script.length > 0) mock.faults.add({ script })
  const options = { baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch, ...more }
  return clientBy(manualClock(), { ...options, debug: debug as true })
}

/* A logger that keeps its lines. */
function keeper() {
  const lines: string[] = []
  const facts: DebugFacts[] = []
  const logger = {
    debug(line: string, given: DebugFacts) {
      lines.push(line)
      facts.push(given)
    },
  }
  return { lines, facts, logger }
}

const refusal = (...messages: readonly string[]): Fault => ({
  status: 200,
  body: JSON.stringify({ errors: messages.map((message) => ({ message, extensions: { code: 'BAD_USER_INPUT' } })) }),
})

test('with true, each attempt, each retry and the end of the call is one line on stderr', async () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
  const stdout = vi.spyOn(console, 'log').mockImplementation(() => {})
  await setUp([{ status: 429, headers: { 'x-request-id': 'req_1' } }, 'ok'], true).invites.create(input, mine)
  const call = 'operation=invites.create reference=mine-1'
  const refused = 'status=429 requestId=req_1 code=RATE_LIMITED outcome=not-executed durationMs=0'
  expect(stderr.mock.calls).toEqual([
    [`certify-sdk event=attempt ${call} attempt=1 ${refused}`],
    [`certify-sdk event=retry ${call} attempt=1 ${refused} waitMs=250`],
    [`certify-sdk event=attempt ${call} attempt=2 status=200 durationMs=0`],
    [`certify-sdk event=end ${call} attempts=2 status=200 durationMs=250`],
  ])
  expect(stdout).not.toHaveBeenCalled()
})

test('a logger gets the line, and the same facts as data that it cannot change for others', async () => {
  const { logger, lines, facts } = keeper()
  await setUp([], logger).tracks.list({}, mine)
  const common = { operation: 'tracks.list', reference: 'mine-1', status: 200, durationMs: 0 }
  expect(facts).toEqual([
    { event: 'attempt', attempt: 1, ...common },
    { event: 'end', attempts: 1, ...common },
  ])
  expect(facts.every((each) => Object.isFrozen(each))).toBe(true)
  expect(lines).toHaveLength(2)
})

test('a logger is called as a method: many loggers need their `this`', async () => {
  const lines: string[] = []
  class Logger {
    readonly #lines = lines
    debug(line: string) {
      this.#lines.push(line)
    }
  }
  await setUp([], new Logger()).tracks.list()
  await setUp([], { logger: new Logger() }).tracks.list()
  expect(lines).toHaveLength(4)
})

test.each([[false], [undefined]])('with %s nothing is printed', async (debug) => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
  await setUp([503], debug).tracks.list()
  expect(stderr).not.toHaveBeenCalled()
})

test('a logger that throws, rejects or hangs changes nothing', async () => {
  const broken = () => {
    throw new Error('mine')
  }
  for (const debug of [broken, async () => broken(), () => new Promise(() => {})]) {
    await setUp([429], { debug }).invites.create(input)
  }
})

test('debug lines and hooks can be used together, and no hook gets the service’s words', async () => {
  vi.stubEnv('NODE_ENV', 'development')
  const { logger, lines } = keeper()
  const told: unknown[] = []
  const hook = (...given: unknown[]) => void told.push(given)
  const hooks = { onAttempt: hook, onRetry: hook, onSettled: hook }
  await failureOf(setUp([refusal('no such quiz')], { logger, apiMessages: true }, { hooks }).invites.create(input))
  expect([lines.length, told.length]).toEqual([2, 2])
  expect(JSON.stringify(told)).not.toContain('no such quiz')
})

test('the end of a call whose key cannot be read is a line too', async () => {
  const { logger, lines } = keeper()
  await failureOf(setUp([], logger, { apiKey: () => '' }).tracks.list({}, mine))
  const failed = 'code=CONFIG_INVALID outcome=not-executed durationMs=0'
  expect(lines).toEqual([
    `certify-sdk event=attempt operation=tracks.list reference=mine-1 attempt=1 ${failed}`,
    `certify-sdk event=end operation=tracks.list reference=mine-1 attempts=1 ${failed}`,
  ])
})

test.each(['development', 'test'])('who asks for them gets the service’s words, if NODE_ENV is %s', async (env) => {
  vi.stubEnv('NODE_ENV', env)
  const { logger, lines, facts } = keeper()
  await failureOf(setUp([refusal('no', 'never')], { logger, apiMessages: true }).invites.create(input))
  expect(lines).toEqual([
    expect.stringMatching(/ event=attempt .* apiMessages=\["no","never"\]$/),
    expect.not.stringContaining('apiMessages'),
  ])
  expect(facts[0]).toMatchObject({ apiMessages: ['no', 'never'] })
})

const absent = { error: new Error('no process') }
test.each<[string, () => void]>([
  ['NODE_ENV is production', () => vi.stubEnv('NODE_ENV', 'production')],
  ['NODE_ENV is not set', () => vi.stubEnv('NODE_ENV', undefined)],
  ['NODE_ENV is a word of your own', () => vi.stubEnv('NODE_ENV', 'staging')],
  ['the runtime has no process', () => vi.stubGlobal('process', undefined)],
  [
    'the environment may not be read',
    () =>
      vi.stubGlobal('process', {
        get env(): never {
          throw absent.error
        },
      }),
  ],
])('the service’s words are hidden, and the line says why, if %s', async (_what, prepare) => {
  const { logger, lines, facts } = keeper()
  prepare()
  const client = setUp([refusal('no such quiz')], { logger, apiMessages: true })
  vi.unstubAllGlobals()
  await failureOf(client.invites.create(input))
  const hidden = 'hidden: NODE_ENV is not development or test'
  expect(lines[0]).toMatch(new RegExp(` apiMessages="${hidden}"$`))
  expect(facts[0]).toMatchObject({ apiMessages: hidden })
  expect(JSON.stringify([lines, facts])).not.toContain('no such quiz')
})

test.each<[unknown]>([[true], ['logger'], [{ apiMessages: false }]])(
  '%j never prints the service’s words',
  async (debug) => {
    vi.stubEnv('NODE_ENV', 'development')
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { logger, lines } = keeper()
    await failureOf(setUp([refusal('no such quiz')], debug === 'logger' ? logger : debug).invites.create(input))
    expect([...stderr.mock.calls.flat(), ...lines]).toHaveLength(2)
    expect(JSON.stringify([stderr.mock.calls, lines])).not.toMatch(/no such quiz|apiMessages/)
  },
)

test('the service’s words cannot forge a line or control a terminal', async () => {
  vi.stubEnv('NODE_ENV', 'development')
  const { logger, lines } = keeper()
  const words = 'a\nb\r\u001B[2J\u009B2J\u2028c\u202Ed é'
  await failureOf(setUp([refusal(words)], { logger, apiMessages: true }).invites.create(input))
  expect(lines[0]).toMatch(/^[ -~]+$/)
  const [, printed = ''] = lines[0]?.split(' apiMessages=') ?? []
  expect(JSON.parse(printed)).toEqual([words])
})

test('what a fetch of your own returns as a status is printed only if it is a number', async () => {
  const { logger, lines } = keeper()
  const fetch = async () => ({ status: 'x\ncanary' as never, ok: false, headers: new Headers(), body: [] })
  await failureOf(setUp([], logger, { fetch }).invites.create(input))
  expect(lines.join('')).not.toContain('canary')
})
