import { expect, onTestFinished, vi } from 'vitest'
import { startServer } from '../src/http-server.ts'
import { run } from '../../bin/program.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { createRunner, type Ended, ioOf, type World } from './run.ts'
import { createFetch } from '../../src/node/index.ts'

export const BASE_URL = 'https://app.example/certify'
/** A create with a generated callback URL. */
export const CREATE = 'invites create --quiz-id quiz_react_beginner_state --email ada@example.com --callbacks'.split(
  ' ',
)
export const SECRET = 'a secret of thirty-two characters'
/** Long enough for a busy machine. */
export const PATIENCE = { timeout: 120_000 }

/** `certify callbacks listen` while it runs. */
export interface Listener {
  readonly url: string
  readonly stdout: () => string
  readonly stderr: () => string
  /** The --json lines of this type. */
  readonly told: (type: string) => readonly Readonly<Record<string, unknown>>[]
  /** Presses Ctrl-C. */
  readonly stop: () => Promise<Ended>
}

/** A mock, a home and commands with a callback base URL. Events go to the listener that was started last. */
export function createLoop() {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const { certify, home } = createRunner(mock)
  const env = { CERTIFY_CALLBACK_BASE_URL: BASE_URL }
  return {
    mock,
    home,
    certify: (argv: readonly string[], world: World = {}) => certify(argv, { ...world, env: { ...env, ...world.env } }),
    /** The callback URL of a create with this environment. */
    async urlOf(own: World['env'] = {}, ...flags: readonly string[]): Promise<string> {
      const { code, stderr } = await this.certify([...CREATE, '--if-invited', 'create', ...flags], { env: own })
      expect([code, stderr]).toEqual([0, ''])
      return mock.invites.at(-1)?.callbackUrl ?? ''
    },
    /** Starts the listener, with --json unless it is for people. */
    async listen(args: readonly string[] = [], world: World = {}, isForPeople = false): Promise<Listener> {
      const controller = new AbortController()
      const folders = { CERTIFY_CONFIG_DIR: `${home.folder}/config`, XDG_STATE_HOME: home.folder }
      const argv = ['callbacks', 'listen', '--port', '0', ...(isForPeople ? [] : ['--json']), ...args]
      const started = ioOf(argv, {
        now: () => mock.clock.now().getTime(),
        fetch: createFetch(),
        interruption: controller.signal,
        ...world,
        env: { ...folders, ...world.env },
      })
      const { stdout, stderr } = started
      const ended = run(started.io)
      const told = (type: string) =>
        stdout()
          .split('\n')
          .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
          .filter((line) => line['type'] === type)
      const stop = async () => {
        controller.abort('SIGINT')
        return { code: await ended, stdout: stdout(), stderr: stderr() }
      }
      onTestFinished(async () => void (await stop()))
      /* The first start is slow, because it loads the program. */
      await vi.waitFor(() => expect(stdout() + stderr()).toMatch(/http:/), PATIENCE)
      const [, url = ''] = /(http:\/\/[\d.]+:\d+)/.exec(stdout() + stderr()) ?? []
      mock.callbacks.deliverTo(url)
      return { url, stdout, stderr, told, stop }
    },
  }
}

/** An application that answers with these statuses in order, and then with 200. */
export async function createApplication(...statuses: readonly number[]) {
  const { url, received } = await startServer((response) => {
    response.writeHead(statuses[received.length - 1] ?? 200, { location: '/elsewhere' }).end('x'.repeat(100_000))
  })
  return { url: `${url}/hook?a=1`, requests: received }
}
