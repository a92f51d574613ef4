import { readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import type { Child } from '../../bin/io.ts'
import { createRunner, type Ended, type World } from './run.ts'

/** A mock while a command runs against it. */
export interface Visited {
  readonly url: string
  readonly env: Child['env']
  /** Sends a GET request with exactly these headers, `host` among them, which fetch does not allow. */
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>
  readonly post: (path: string, body?: unknown) => Promise<unknown>
  /** Creates an invite and returns its id. */
  readonly invite: (more?: object) => Promise<string>
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
  readonly body: any // oxlint-disable-line typescript/no-explicit-any
}

/** Runs `certify mock exec` with these flags. `visit` takes the place of the command. */
export async function execMock(
  flags: readonly string[],
  visit: (mock: Visited) => Promise<void> = async () => {},
  world: World = {},
): Promise<Ended & { readonly ran: boolean }> {
  let ran = false
  const run = async ({ env }: Child) => {
    ran = true
    await visit(visitorOf(env))
    return { exitCode: 0 }
  }
  const onDisk = flags.filter((flag) => statSync(flag, { throwIfNoEntry: false })?.isFile() === true)
  const files = { ...Object.fromEntries(onDisk.map((path) => [path, readFileSync(path, 'utf8')])), ...world.files }
  const ended = await createRunner().certify(['mock', 'exec', ...flags, '--', 'program'], { run, ...world, files })
  return { ...ended, ran }
}

function visitorOf(env: Child['env']): Visited {
  const { CERTIFY_BASE_URL: url = '', CERTIFY_API_KEY: key = '' } = env
  const send = async (path: string, body: unknown, headers = {}) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    const answer = await fetch(url + path, init)
    return answer.status === 204 ? undefined : answer.json()
  }
  return {
    url,
    env,
    post: (path, body = {}) => send(path, body),
    get: (path, headers = {}) => ask(url + path, headers),
    async invite(more = {}) {
      const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' }, ...more }
      const query =
        'mutation ($input: DeveloperCreateCertificationInviteInput!) { developerCreateCertificationInvite(input: $input) { inviteId } }'
      const answer = await send('/api/developer/graphql', { query, variables: { input } }, { 'x-api-key': key })
      const { data } = answer as { data: { developerCreateCertificationInvite: { inviteId: string } } }
      return data.developerCreateCertificationInvite.inviteId
    },
  }
}

function ask(url: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: /^[[{]/.test(text) ? JSON.parse(text) : text })
      })
    })
      .on('error', reject)
      .end()
  })
}

/** Runs `certify mock` until it has started. */
export async function startMock(flags: readonly string[], world: World = {}): Promise<Ended> {
  const interruption = AbortSignal.abort('SIGINT')
  return createRunner().certify(['mock', '--port', '0', ...flags], { interruption, ...world })
}
