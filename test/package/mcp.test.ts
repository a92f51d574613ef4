import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { repository } from './consumer.ts'

const consumer = inject('consumer')
const bin = join(consumer, 'node_modules/.bin/certify')
const quizId = 'quiz_react_beginner_state'
const mock = spawn(bin, ['mock', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
let env: Record<string, string> = {}

beforeAll(async () => {
  const [line] = (await once(createInterface(mock.stdout), 'line')) as [string]
  const { url, apiKeys } = JSON.parse(line) as { url: string; apiKeys: { key: string }[] }
  env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: apiKeys[0]?.key ?? '' }
})

afterAll(() => mock.kill('SIGKILL'))

interface ServerEntry {
  readonly command: string
  readonly args: string[]
}

const [, snippet = ''] =
  /^```json\n([\s\S]*?)^```$/m.exec(readFileSync(join(repository, 'docs/agents.md'), 'utf8')) ?? []
const { mcpServers } = JSON.parse(snippet) as { mcpServers: { certify: ServerEntry & { env: Record<string, string> } } }

/** Starts the server as a client does, with its own home folder. */
async function connect({ command, args }: ServerEntry) {
  const home = mkdtempSync(join(tmpdir(), 'certify-agent-'))
  const { PATH = '', HOME = '' } = process.env
  const own = { PATH, HOME, CERTIFY_CONFIG_DIR: home, XDG_STATE_HOME: home, ...env }
  const transport = new StdioClientTransport({ command, args, cwd: consumer, env: own, stderr: 'pipe' })
  let stderr = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const client = new Client({ name: 'package-test', version: '1' }, { capabilities: { elicitation: { form: {} } } })
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { send: true } }))
  await client.connect(transport)
  onTestFinished(async () => {
    await client.close()
    rmSync(home, { recursive: true, force: true })
  })
  const call = async (name: string, args_: object) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...args_ } })
    const [{ text }] = content as unknown as [{ readonly text: string }]
    return { value: JSON.parse(text) as Record<string, never>, isError }
  }
  return { client, call, stderr: () => stderr }
}

test('the server starts as docs/agents.md says, and creates a plan once', async () => {
  expect(Object.keys(mcpServers.certify.env)).toEqual(['CERTIFY_BASE_URL', 'CERTIFY_API_KEY_FILE'])
  const { client, call, stderr } = await connect(mcpServers.certify)
  expect((await client.listTools()).tools).toHaveLength(6)
  const invites = [{ email: 'ada@example.com', quizId }]
  const { value: plan } = await call('plan_invites', { invites })
  const first = await call('create_planned_invites', { planId: plan['planId'] })
  expect(first).toMatchObject({ value: { rows: [{ status: 'created' }] } })
  expect(await call('create_planned_invites', { planId: plan['planId'] })).toEqual(first)
  expect((await call('list_invites', {})).value).toMatchObject({
    invites: [{ email: 'ada@example.com', state: 'created' }],
  })
  expect(stderr()).not.toMatch(/ada@example\.com|ck_/)
})

test('only certify mcp loads the MCP SDK, without its HTTP servers', () => {
  const chunks = join(consumer, 'node_modules/certify-sdk/dist/bin/chunks')
  const files = readdirSync(chunks).map((name) => ({ name, code: readFileSync(join(chunks, name), 'utf8') }))
  const holding = files.filter(({ code }) => code.includes('server/discover'))
  expect(holding).toHaveLength(1)
  const [{ name, code } = { name: '', code: '' }] = holding
  expect(
    files.filter((each) => each.code.includes(name)).map((each) => each.name.replace(/-[\w-]{8}\.cjs$/, '')),
  ).toEqual(['mcp'])
  expect(code).not.toMatch(/\bexpress\b|\bhono\b|\bcors\b|\bajv\b|zod3/i)
})
