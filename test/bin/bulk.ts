import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { createRunner, type Ended, packageId as PACKAGE, quizId as QUIZ, type World } from './run.ts'

export { PACKAGE, QUIZ }

/** A row as bulk prints it with --json. */
export interface Told {
  readonly row: number
  readonly status: string
  readonly email?: string
  readonly name?: string
  readonly quizId?: string
  readonly packageId?: string
  readonly externalReference?: string
  readonly invites: readonly { readonly inviteId: string; readonly challengeUrl?: string }[]
  readonly code?: string
  readonly message?: string
}

/** The result of a run, with its rows. */
export interface BulkEnded extends Ended {
  readonly rows: readonly Told[]
  readonly summary: Readonly<Record<string, unknown>> | undefined
  /** The number of rows per status. */
  readonly counts: Readonly<Record<string, number>>
}

/** Runs `certify bulk` in process against a mock, with a ledger and files of its own. */
export function createBulk(mock: MockServer = createMockServer({ now: '2030-01-01T00:00:00Z' })) {
  const { certify, home } = createRunner(mock)
  const at = (name: string) => join(home.folder, name)
  const ledger = at('ledger.sqlite')
  const run = (argv: readonly string[], world: World = {}) =>
    certify(argv, { ...world, env: { CERTIFY_LEDGER: ledger, ...world.env } })
  const bulk = async (content: string | Uint8Array, argv: readonly string[] = [], world: World = {}) => {
    writeFileSync(at('input'), content)
    const ended = await run(['bulk', at('input'), '--json', ...argv], world)
    return { ...ended, ...linesOf(ended.stdout) } satisfies BulkEnded
  }
  return {
    mock,
    at,
    ledger,
    run,
    read: (name: string) => readFileSync(at(name), 'utf8'),
    /** Writes the file and runs it with --json. */
    bulk,
    /** Writes the file and plans it with --json, without sending. */
    plan: (content: string | Uint8Array, argv: readonly string[] = []) => bulk(content, ['--dry-run', ...argv]),
  }
}

/** A table with a header, from rows of values. */
export function table(header: string, ...rows: readonly string[]): string {
  return [header, ...rows, ''].join('\n')
}

/** This many candidates for one quiz. */
export function candidates(count: number): string {
  return table(
    'email,quiz_id',
    ...Array.from({ length: count }, (_each, index) => `candidate-${index + 1}@example.com,${QUIZ}`),
  )
}

function linesOf(stdout: string): Pick<BulkEnded, 'rows' | 'summary' | 'counts'> {
  const lines = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string })
  const summary = lines.find(({ type }) => type === 'summary') as unknown as BulkEnded['summary']
  return {
    rows: lines.filter(({ type }) => type === 'row') as unknown as Told[],
    summary,
    counts: (summary?.['counts'] ?? {}) as BulkEnded['counts'],
  }
}
