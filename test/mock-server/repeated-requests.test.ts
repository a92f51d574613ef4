import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CREATE, INES, QUIZ, TRACKS } from './calls.ts'

async function listening(options: MockServerOptions = {}) {
  const mock = createMockServer(options)
  onTestFinished(() => mock.close())
  const { url, endpoint } = await mock.listen()
  const page = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).text()
  return { mock, url, endpoint, page }
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = {
    '&#39;': "'",
    '&quot;': '"',
    '&lt;': '<',
    '&gt;': '>',
    '&amp;': '&',
  }
  return text.replaceAll(/&(#39|quot|lt|gt|amp);/g, (entity) => characters[entity] ?? entity)
}

test('/connect shows examples with a READY quiz', async () => {
  const { mock, page } = await listening()
  mock.disableQuiz(QUIZ)
  const html = await page('/connect')
  expect(html).toMatch(/&quot;quiz_\w+&quot;/)
  expect(html).not.toContain(QUIZ)
})

const execute = promisify(execFile)

/** Runs a command in a real shell. */
const sh = async (command: string) => (await execute('sh', ['-c', command])).stdout

describe('copy as curl', () => {
  /** The command for the newest request, or `null` if there is none. */
  async function copied(page: (path: string) => Promise<string>): Promise<string | null> {
    const [, command] = /data-copy="([^"]*)" aria-label="Copy as curl/.exec(await page('/requests')) ?? []
    return command === undefined ? null : unescaped(command)
  }

  const JSON_TYPE = { 'content-type': 'application/json' }
  const NAME = `O'Hara $(echo no) \`no\` "quoted" \\ 100% !! \n é 漢 🙂`
  const CREATED = { query: CREATE, variables: { input: { quizId: QUIZ, candidate: { ...INES, name: NAME } } } }

  test.each([
    ['a key, and a name full of what a shell reads', ({ apiKey }: MockServer) => ({ 'x-api-key': apiKey }), CREATED],
    ['an admin session', ({ adminSession }: MockServer) => adminSession.headers, { query: TRACKS }],
  ] as const)('repeats the same request, in a session too: %s', async (_what, credentials, body) => {
    const { mock, url, page } = await listening({
      now: '2030-03-01T09:30:00Z',
      behaviour: { pendingInvite: 'return-existing' },
    })
    for (const [world, path] of [[mock, ''] as const, [mock.openSession({ id: 'one' }), '/s/one'] as const]) {
      const headers = { ...JSON_TYPE, ...credentials(world) }
      await fetch(`${url}${path}/api/developer/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })
      await sh((await copied((at) => page(path + at))) ?? '')
      const [first, second, ...more] = world.requestLog.list()
      expect(more).toEqual([])
      expect({ ...second, number: 1, createdInviteIds: first?.createdInviteIds, headers: {} }).toEqual({
        ...first,
        headers: {},
      })
    }
  })

  test.each([
    ['a key that is not known', () => ({ 'x-api-key': 'ck_other' }), JSON.stringify({ query: TRACKS })],
    [
      'a long body',
      ({ apiKey }: MockServer) => ({ 'x-api-key': apiKey }),
      JSON.stringify({ query: `# ${'x'.repeat(16_385)}\n${TRACKS}` }),
    ],
  ] as const)('is not offered if the log lacks part of the request: %s', async (_what, credentials, body) => {
    const { mock, endpoint, page } = await listening()
    await fetch(endpoint, { method: 'POST', headers: { ...JSON_TYPE, ...credentials(mock) }, body })
    expect(await copied(page)).toBeNull()
  })

  test('is not offered for a body with a key in it, which is hidden', async () => {
    const { mock, endpoint, page } = await listening()
    const body = JSON.stringify({ query: TRACKS, variables: { search: mock.apiKey } })
    await fetch(endpoint, { method: 'POST', headers: { ...JSON_TYPE, 'x-api-key': mock.apiKey }, body })
    expect(await copied(page)).toBeNull()
  })
})
