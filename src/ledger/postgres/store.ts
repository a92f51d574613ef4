import type { LedgerScope, LedgerState } from '../rules/entry.ts'
import type { Purge, Purged } from '../rules/ledger.ts'
import type { NewSend, SendRecord } from '../rules/record.ts'
import type {
  CandidateFacts,
  CandidateQuestion,
  LedgerStore,
  PageQuery,
  SendFacts,
  StoreCheck,
} from '../store/store.ts'
import type { PostgresConnection, Statement } from './connection.ts'
import { PostgresPace } from './pace.ts'
import { pageArgument, pageStatement } from './pages.ts'
import { REMOVE_BY_AGE, REMOVE_BY_EMAIL } from './removal.ts'
import { rowOf, scopeId, type SendRow, sendOf } from './send-rows.ts'
import { CANDIDATES, CHECK, NOW_ONLY, OVERDUE, SEND } from './store-reads.ts'
import { ACCEPT_TIME, ADD, REPLACE } from './store-writes.ts'

/** The sends of a ledger in a schema of Postgres. Each method is one statement. */
export class PostgresStore implements LedgerStore {
  readonly path: string
  readonly #connection: PostgresConnection
  readonly #version: number

  /** @param version of the tables */
  constructor(connection: PostgresConnection, version: number) {
    this.path = connection.path
    this.#connection = connection
    this.#version = version
  }

  readonly shared = (scope: LedgerScope) => new PostgresPace(this.#connection, scope)

  readonly readCandidates = async (
    scope: LedgerScope,
    questions: readonly CandidateQuestion[],
  ): Promise<CandidateFacts> => {
    const facts = await this.#read<CandidateAnswer>(CANDIDATES, { scope: scopeId(scope), questions })
    return {
      now: facts.now,
      latest: facts.latest ?? undefined,
      candidates: facts.candidates.map(({ last, sends }) => ({ last, sends: sends.map(sendOf) })),
    }
  }

  readonly readSend = async (reference: string, inviteIds: readonly string[]): Promise<SendFacts> => {
    const { now, send, others, owners } = await this.#read<SendAnswer>(SEND, {
      reference,
      inviteIds: [...new Set(inviteIds)],
    })
    return {
      now,
      send: send === null ? undefined : sendOf(send),
      version: send?.version ?? 0,
      others: others.map(sendOf),
      owners: Object.fromEntries(owners),
    }
  }

  readonly add = (send: NewSend, last: number) => this.#write(ADD, { send: rowOf(send), last })

  readonly replace = (send: SendRecord, { version, owners }: SendFacts) => {
    const named = new Set([...send.invites, ...send.named].map(({ inviteId }) => inviteId))
    const claims = Object.entries(owners).map(([inviteId, owner]) => [inviteId, owner, named.has(inviteId)])
    return this.#write(REPLACE, { id: send.id, version, send: rowOf(send), owners: claims })
  }

  readonly readOverdue = async () => {
    const { references } = await this.#read<{ readonly references: readonly string[] }>(OVERDUE, {})
    return references
  }

  readonly readPage = async (query: PageQuery, last: SendRecord | undefined) => {
    const statement = pageStatement(query, last !== undefined)
    const { sends } = await this.#read<{ readonly sends: readonly SendRow[] }>(
      statement,
      pageArgument(query, last),
      true,
    )
    return sends.map(sendOf)
  }

  readonly remove = (what: Purge): Promise<Purged> =>
    what.email === undefined
      ? this.#read(REMOVE_BY_AGE, { olderThanMs: what.olderThanMs }, true)
      : this.#read(REMOVE_BY_EMAIL, { emailKey: what.email }, true)

  readonly now = async () => {
    const { now } = await this.#read<{ readonly now: number }>(NOW_ONLY, {})
    return now
  }

  readonly check = async (): Promise<StoreCheck> => {
    const answer = await this.#read<CheckAnswer>(CHECK, {}, true)
    return {
      entries: { sending: 0, created: 0, refused: 0, 'not-executed': 0, unknown: 0, ...answer.entries },
      scopes: answer.scopes.map(({ base_url: baseUrl, account, world }) => ({ baseUrl, account, world })),
      problems: [
        ...problem(answer.withoutCandidate, 'sends are newer than the last one of their candidate'),
        ...problem(answer.withoutOwner, 'invites have no row in certify_invite_ids'),
      ],
      schemaVersion: this.#version,
      driver: 'postgres',
    }
  }

  readonly acceptTime = async () => {
    await this.#read(ACCEPT_TIME, {})
  }

  readonly close = () => this.#connection.close()

  #read<Result>(statement: Statement, argument: object, isScan = false): Promise<Result> {
    return this.#connection.read<Result>(statement, { now: this.#connection.ownTime(), ...argument }, isScan)
  }

  async #write(statement: Statement, argument: object): Promise<boolean> {
    const result = await this.#connection.write<{ readonly done: boolean }>(statement, argument)
    return result !== 'unclear' && result.done
  }
}

function problem(number: number, what: string): readonly string[] {
  return number === 0 ? [] : [`${number} ${what}`]
}

interface CandidateAnswer {
  readonly now: number
  readonly latest: number | null
  readonly candidates: readonly { readonly last: number; readonly sends: readonly SendRow[] }[]
}

interface SendAnswer {
  readonly now: number
  readonly send: SendRow | null
  readonly others: readonly SendRow[]
  readonly owners: readonly (readonly [inviteId: string, owner: number])[]
}

interface CheckAnswer {
  readonly entries: Partial<Record<LedgerState, number>> | null
  readonly scopes: readonly { readonly base_url: string; readonly account: string; readonly world: string }[]
  readonly withoutCandidate: number
  readonly withoutOwner: number
}
