import type { WishEvent, WorkerEvent, WorkerSummary } from '../../src/worker/index.ts'
import { ProgressLine } from '../bulk/send/progress.ts'
import { CliError } from '../cli-error.ts'
import { type LedgerFlags, type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import { openForSending } from '../ledger/open-ledger.ts'
import { ledgerFlag } from '../ledger/resolve-hints.ts'
import { formatNumber } from '../terminal/numbers.ts'
import { escapeControls, printable } from '../terminal/printable.ts'
import { cellText, type Column, fieldColumns, tabSeparated } from '../terminal/table.ts'
import { needDatabase, withOutbox } from './open-outbox.ts'

export interface WorkerFlags extends LedgerFlags {
  readonly concurrency?: number
  /** Requests in a second. */
  readonly rate?: number
  /** In milliseconds. */
  readonly maxOutage?: number
  /** In milliseconds. */
  readonly maxWait?: number
  readonly drain?: boolean
  readonly allowClockSkew?: boolean
}

/** Sends what is enqueued until the interruption. @throws CliError, CertifyError */
export async function work(context: Context, flags: WorkerFlags): Promise<void> {
  const { io, program, connection } = context
  const place = readLedgerPlace(io, program.root.opts(), flags)
  needDatabase(place)
  const client = await context.client('write')
  const { ledger, account, world } = await openForSending(context, place)
  try {
    const { runWorker } = await import('../../src/worker/index.ts')
    const told = new Told(context, ledger.path, account)
    await told.start()
    const { rate: ratePerSecond, maxOutage: maxOutageMs, maxWait: maxWaitMs, ...rest } = flags
    const { concurrency, drain, allowClockSkew } = rest
    const working = runWorker(withOutbox(ledger), client, {
      account,
      world,
      ratePerSecond,
      maxOutageMs,
      maxWaitMs,
      concurrency,
      drain,
      allowClockSkew,
      timeoutMs: connection().timeoutMs.value,
      signal: AbortSignal.any([io.interruption, told.stopping]),
      onEvent: told.event,
    })
    await Promise.allSettled([working])
    await told.written()
    const summary = await working
    await told.end(summary)
    if (drain === true && summary.stopped === 'drained') checkCounts(summary, place)
  } finally {
    await ledger.close()
  }
}

/* Prints what happens. There is no candidate and no link in it. */
class Told {
  readonly #context: Context
  readonly #ledger: string
  readonly #account: string
  readonly #progress: ProgressLine
  readonly #failed = new AbortController()
  #writing: Promise<void> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined

  constructor(context: Context, ledger: string, account: string) {
    this.#context = context
    this.#ledger = ledger
    this.#account = account
    this.#progress = new ProgressLine(context.io, 0)
  }

  /** Aborted if stdout fails. */
  get stopping(): AbortSignal {
    return this.#failed.signal
  }

  async start(): Promise<void> {
    const { io, output } = this.#context
    if (output.json) return
    await output.show((terminal) => terminal.fields([...this.#place()]))
    if (io.stderr.isTTY) await output.show((terminal) => `${terminal.dim('Stop it with Ctrl-C.')}\n`)
  }

  /* One after another, in their order. */
  readonly event = (event: WorkerEvent): void => {
    this.#writing = this.#writing
      .then(() => this.#print(event))
      .catch((error: unknown) => {
        this.#failure ??= { error }
        this.#failed.abort()
      })
  }

  /** @throws CliError if stdout failed */
  async written(): Promise<void> {
    await this.#writing
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async end({ counts, stopped, durationMs }: WorkerSummary): Promise<void> {
    const { output } = this.#context
    const { json, quiet } = this.#context.preferences
    if (json.value) return this.#line({ type: 'summary', ledger: this.#ledger, counts, stopped, durationMs })
    if (quiet.value) return
    const ended = Object.entries(counts).map(
      ([state, count]) => [state.replace('_', ' '), formatNumber(count)] as const,
    )
    await output.show((terminal) => terminal.fields(ended))
  }

  async #print(event: WorkerEvent): Promise<void> {
    const { io, output, preferences } = this.#context
    const { json, quiet } = preferences
    if (event.type === 'pause') return json.value ? undefined : this.#progress.pause(event)
    if (event.type === 'outage') return json.value ? undefined : this.#progress.outage(event)
    const { error, ...row } = event
    if (quiet.value) {
      const ids = event.state === 'created' ? event.invites.map(({ inviteId }) => `${printable(inviteId)}\n`) : []
      return output.text(ids.join(''))
    }
    if (json.value) return this.#line({ ...row, code: error?.code ?? null, message: error?.message ?? null })
    const line = COLUMNS.map((column) => printable(cellText(column, event))).join('  ')
    return output.text(io.stdout.isTTY ? `${line}\n` : tabSeparated(COLUMNS, [event]))
  }

  #place(): readonly (readonly [string, string])[] {
    return [
      ['ledger', this.#ledger],
      ['account', this.#account],
    ]
  }

  #line(value: object): Promise<void> {
    return this.#context.output.text(`${escapeControls(JSON.stringify(value))}\n`)
  }
}

const COLUMNS: readonly Column<WishEvent>[] = [
  ...fieldColumns<WishEvent>({ REFERENCE: 'reference', STATE: 'state' }),
  { title: 'INVITE ID', value: ({ invites }) => invites.map(({ inviteId }) => inviteId).join(' ') },
  ...fieldColumns<WishEvent>({ ENTRY: 'entry' }),
  { title: 'CODE', value: ({ error }) => error?.code ?? '' },
]

/* Of a worker that runs on, the outbox has them. */
function checkCounts({ counts: { unknown, refused, failed } }: WorkerSummary, place: LedgerPlace): void {
  const list = `certify outbox list${ledgerFlag(place)} --state`
  if (unknown > 0) {
    const facts = { code: 'ROWS_UNKNOWN', exitCode: 6 } as const
    throw new CliError(
      `${wishes(unknown)} unknown: an invite may have been created.`,
      `\`${list} unknown\` lists them.`,
      facts,
    )
  }
  if (refused + failed === 0) return
  const [state] = refused > 0 ? ['refused'] : ['failed']
  const facts = { code: 'ROWS_FAILED', exitCode: 3 } as const
  throw new CliError(`${wishes(refused + failed)} refused or failed.`, `\`${list} ${state}\` lists them.`, facts)
}

function wishes(count: number): string {
  return count === 1 ? '1 wish is' : `${formatNumber(count)} wishes are`
}
