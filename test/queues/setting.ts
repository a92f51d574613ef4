import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { inject, onTestFinished } from 'vitest'
import { listenInTest } from '../listen.ts'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { createDatabase } from '../postgres/server.mjs'
import { type Example, installExample } from './examples.mjs'
import { startRedis } from './redis.mjs'
import { QUEUES } from './run.mjs'
import { CALLBACK_URL, SECRET } from './survival.mjs'

/** A mock, the queue, and a way to run a program of an example with them. */
export async function setting(
  example: Example,
  serve: (mock: MockServer) => Promise<{ readonly url: string }> = (mock) => mock.listen(),
  more: Readonly<Record<string, string>> = {},
) {
  const mock = createMockServer()
  const { url } = await serve(mock)
  onTestFinished(() => mock.close())
  const { folder, remove } = installExample(example)
  onTestFinished(remove)
  const databaseUrl = await createDatabase(inject('postgres').url)
  const redis = example === 'bullmq' ? await startRedis() : undefined
  if (redis !== undefined) onTestFinished(redis.stop)
  const queue = await QUEUES[example]({ databaseUrl, redisUrl: redis?.url ?? '' })
  onTestFinished(queue.close)
  const env = {
    PATH: process.env['PATH'],
    CERTIFY_BASE_URL: url,
    CERTIFY_API_KEY: mock.apiKey,
    CALLBACK_URL,
    CALLBACK_SECRET: SECRET,
    DATABASE_URL: databaseUrl,
    ...queue.env,
    ...more,
  }
  const run = (program: string, input = '') => {
    const child = spawn(process.execPath, [program], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdin.end(input)
    return child
  }
  return { mock, run, queue, databaseUrl, copy: folder, env }
}

/** An address that answers each request itself, or as the mock that is chosen for it. */
export async function serveAs(choose: (request: IncomingMessage, body: string) => MockServer | Response) {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const { method = 'GET', url, headers } = request
    const chosen = choose(request, body)
    const init = { method, headers: headers as Record<string, string>, ...(body !== '' && { body }) }
    const answered = chosen instanceof Response ? chosen : await chosen.fetch(chosen.baseUrl + url, init)
    response.writeHead(answered.status, { 'content-type': 'application/json' }).end(await answered.text())
  }
  const server = createServer((request, response) => void answer(request, response))
  return { url: `http://127.0.0.1:${await listenInTest(server)}` }
}

export async function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}
