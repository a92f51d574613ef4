import { describe, expect, inject, test } from 'vitest'
import { runIn, writeProject } from '../package/consumer.ts'
import { installed } from './installed.ts'

/*
 * The environments in which users test their code. In each, a client works over HTTP and in process, also under fake timers, and
 * a lost response is unknown: one e-mail, and nothing is sent again.
 */

const consumer = inject('consumer')

/* What every environment runs, with its own `test`, `expect` and fake timers. */
const TESTS = `
const quizId = 'quiz_react_beginner_state'
const input = (email) => ({ quizId, candidate: { email } })

async function ways() {
  const mock = createMockServer()
  const { url, close } = await mock.listen()
  const options = { apiKey: mock.apiKey }
  const clients = [
    new CertifyClient({ ...options, baseUrl: mock.baseUrl, fetch: mock.fetch }),
    new CertifyClient({ ...options, baseUrl: url }),
  ]
  return { mock, close, clients }
}

async function creates(begin = () => {}, end = () => {}) {
  const { mock, close, clients } = await ways()
  begin()
  try {
    for (const [way, client] of clients.entries())
      for (const name of ['a', 'b', 'c']) await client.invites.create(input(name + way + '@example.com'))
  } finally {
    end()
    await close()
  }
  return [mock.outbox.length, 3 * clients.length].join(' of ')
}

async function losses() {
  const { mock, close, clients } = await ways()
  const ended = []
  for (const [way, client] of clients.entries()) {
    mock.faults.add({ phase: 'after', fault: 'cut' })
    ended.push(await client.invites.create(input('lost' + way + '@example.com')).catch((e) => e.code + '/' + e.outcome))
  }
  await close()
  return [...new Set(ended), mock.outbox.length - clients.length].join(' ')
}

async function plans() {
  const mock = createMockServer()
  const ledger = await openLedger(':memory:')
  const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch, ledger })
  const plan = await planCampaign([{ input: input('p@example.com') }], { client })
  return plan.counts.planned
}`

const ESM = `import { CertifyClient } from 'certify-sdk'
import { createMockServer } from 'certify-sdk/mock'
import { openLedger } from 'certify-sdk/ledger'
import { planCampaign } from 'certify-sdk/campaign'
${TESTS}`

const CJS = `const { CertifyClient } = require('certify-sdk')
const { createMockServer } = require('certify-sdk/mock')
const { openLedger } = require('certify-sdk/ledger')
const { planCampaign } = require('certify-sdk/campaign')
${TESTS}`

/* With the globals of Jest and Vitest. */
const tests = (timers: 'jest' | 'vi') => `
test('creates', async () => expect(await creates()).toBe('6 of 6'))
test('creates under fake timers', async () => {
  const begin = () => ${timers}.useFakeTimers(), end = () => ${timers}.useRealTimers()
  expect(await creates(begin, end)).toBe('6 of 6')
})
test('a lost response', async () => expect(await losses()).toBe('CONNECTION_LOST/unknown 0'))
test('a plan under fake timers', async () => {
  ${timers}.useFakeTimers()
  try { expect(await plans()).toBe(1) } finally { ${timers}.useRealTimers() }
})`

describe('Jest', () => {
  const jest = (name: string, environment: string, files: Record<string, string>) => {
    const folder = writeProject(consumer, `jest-${name}`, { 'package.json': '{"private":true}', ...files })
    return runIn(folder, 'node', [installed('jest/bin/jest.js'), '--ci', `--env=${environment}`, '--testTimeout=20000'])
  }

  test.each([
    ['node', 'node'],
    ['jest-fixed-jsdom', installed('jest-fixed-jsdom')],
  ])('creates, loses responses and plans in the environment %s', (name, environment) => {
    const ended = jest(name, environment, { 'all.test.js': `${CJS}${tests('jest')}` })
    expect(ended.stderr).toContain('4 passed')
    expect(ended.status).toBe(0)
  })

  test('the package loads in jsdom, which has no fetch: a create is not executed there', () => {
    const ended = jest('jsdom', installed('jest-environment-jsdom'), {
      'all.test.js': `
const { CertifyClient } = require('certify-sdk')
const input = { quizId: 'q', candidate: { email: 'ada@example.com' } }
test('loads', async () => {
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'k' })
  await expect(client.invites.create(input)).rejects.toMatchObject({ outcome: 'not-executed' })
})`,
    })
    expect(ended.stderr).toContain('1 passed')
    expect(ended.status).toBe(0)
  })
})

test.each(['node', 'jsdom', 'happy-dom'])('Vitest creates, loses responses and plans in %s', (environment) => {
  const folder = writeProject(consumer, `vitest-${environment}`, {
    'package.json': '{"private":true,"type":"module"}',
    'all.test.js': `import { expect, test, vi } from '${installed('vitest/dist/index.js')}'\n${ESM}${tests('vi')}`,
  })
  const flags = ['run', '--environment', environment, '--testTimeout', '20000']
  const ended = runIn(folder, 'node', [installed('vitest/vitest.mjs'), ...flags])
  expect(ended.stdout).toContain('4 passed')
  expect(ended.status).toBe(0)
})

/* With the timers of node:test, all of them and one by one. */
const NODE_TEST = `import { mock, test } from 'node:test'
import assert from 'node:assert'
${ESM}
for (const apis of [undefined, ['setImmediate'], ['setTimeout'], ['Date']]) {
  test('under fake ' + apis, async (t) => {
    const begin = () => mock.timers.enable(apis && { apis })
    assert.equal(await creates(begin, () => mock.timers.reset()), '6 of 6')
    begin()
    try { assert.equal(await plans(), 1) } finally { mock.timers.reset() }
  })
}
test('a lost response', async () => assert.equal(await losses(), 'CONNECTION_LOST/unknown 0'))`

test.each(['node-20', 'node-22', 'node-24', 'node-26'])(
  'node:test creates and plans with mocked timers on %s',
  (node) => {
    const folder = writeProject(consumer, `timers-${node}`, { 'all.test.mjs': NODE_TEST })
    const { status, stdout } = runIn(folder, installed(`${node}/bin/node`), ['--test', '--test-timeout=20000'])
    expect(stdout).toMatch(/(pass 5|pass 1)\n/)
    expect(stdout).toMatch(/fail 0\n/)
    expect(status).toBe(0)
  },
)

test('bun test creates, loses responses, and plans with another time of day', () => {
  const folder = writeProject(consumer, 'bun-test', {
    'all.test.js': `import { expect, setSystemTime, test } from 'bun:test'
${ESM.replace("import { openLedger } from 'certify-sdk/ledger'\nimport { planCampaign } from 'certify-sdk/campaign'\n", '')}
test('creates', async () => expect(await creates()).toBe('6 of 6'))
test('creates at another time', async () => {
  const begin = () => setSystemTime(new Date('2030-01-01')), end = () => setSystemTime()
  expect(await creates(begin, end)).toBe('6 of 6')
})
test('a lost response', async () => expect(await losses()).toBe('CONNECTION_LOST/unknown 0'))`,
  })
  const ended = runIn(folder, installed('bun/bin/bun'), ['test'])
  expect(ended.stderr).toContain('3 pass')
  expect(ended.status).toBe(0)
})
