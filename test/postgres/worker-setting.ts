import { inject, onTestFinished } from 'vitest'
import { createMockServer, type MockServerOptions } from '../../mock-server/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { type Clock, withLedger } from '../../src/ledger/index.ts'
import { openPostgresLedger, type Wish, type WishFilter } from '../../src/ledger/postgres/index.ts'
import { runWorker, type WishEvent, type WorkerEvent, type WorkerOptions } from '../../src/worker/index.ts'
import { createDatabase } from './server.mjs'

export const ACCOUNT = 'acme'
export const QUIZ = 'quiz_react_beginner_state'
export const PACKAGE = 'pkg_react_beginner'
export const CREATE = 'developerCreateCertificationInvite'

export const NONE = { created: 0, already_invited: 0, refused: 0, unknown: 0, failed: 0 }

/** A mock, a ledger in a database of its own, and what a worker does with both. `listens`: the ledger has its own pool. */
export async function setting({
  clock,
  listens = true,
  mockOptions = {},
}: {
  readonly clock?: Clock
  readonly listens?: boolean
  readonly mockOptions?: MockServerOptions
} = {}) {
  const url = await createDatabase(inject('postgres').url)
  const mock = createMockServer(mockOptions)
  onTestFinished(() => mock.close())
  const service = await mock.listen()
  const { Pool } = (await import('pg')).default
  const pool = new Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  const ledger = await openPostgresLedger({ ...(listens ? { url } : { client: pool }), clock })
  onTestFinished(() => ledger.close())
  const client = new CertifyClient({ baseUrl: service.url, apiKey: mock.apiKey, timeoutMs: 2_000 })
  const options = { account: ACCOUNT, world: mock.worldId }
  const run = async (more: Partial<WorkerOptions> = {}, by: CertifyClient = client) => {
    const events: WorkerEvent[] = []
    const onEvent = (event: WorkerEvent) => events.push(event)
    const summary = await runWorker(ledger, by, { ...options, onEvent, ...more })
    return { ...summary, events, wishes: events.filter((each): each is WishEvent => each.type === 'wish') }
  }
  return {
    url,
    mock,
    ledger,
    client,
    run,
    pool,
    service,
    guarded: withLedger(client, ledger, options),
    drain: (more: Partial<WorkerOptions> = {}, by: CertifyClient = client) =>
      run(
        {
          drain: true,
          ...more,
        },
        by,
      ),
    creates: () => mock.requestLog.list().filter(({ operations }) => operations.includes(CREATE)).length,
    enqueue: (reference: string, more: object = {}, email = `${reference}@example.com`) =>
      ledger.enqueue(
        pool,
        {
          quizId: QUIZ,
          candidate: {
            name: 'Ada Byron',
            email,
          },
        },
        {
          account: ACCOUNT,
          reference,
          campaign: 'spring',
          ...more,
        },
      ),
    list: async (filter: WishFilter = {}) => {
      const wishes: Wish[] = []
      for await (const wish of ledger.outbox.list(filter)) wishes.push(wish)
      return wishes
    },
  }
}
