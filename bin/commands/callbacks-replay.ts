import type { InboxRow } from '../../src/callbacks/index.ts'
import type { LedgerInbox } from '../../src/ledger/index.ts'
import { eventColumns, eventRowOf, eventTable } from '../callbacks/event-row.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import type { LedgerPlace } from '../config/ledger-place.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { formatNumber } from '../terminal/text.ts'
import type { Fields } from '../terminal/output.ts'
import { showPlan } from '../terminal/prompts.ts'

interface Flags {
  readonly failed?: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerOptions(command), {
    about: 'The current or next certify callbacks listen prints and forwards the events again, with the same key.',
    output: 'one row per event, in its new state.',
    columns: eventColumns,
    ids: 'the keys of the events',
    dryRun: 'end with the plan; change nothing',
    advancedOptions: '--account',
    examples: ['certify callbacks replay cb_3kTMd0fyZpHcX1u8wq2VbN7s', 'certify callbacks replay --failed --yes'],
    guide: 'callbacks.md',
  })
    .option('--failed', 'all events that have failed')
    .argument('[key...]', 'the keys of events, as `certify callbacks list` prints them')
    .action(async (keys: readonly string[], { failed = false }: Flags) => {
      refuseUnclear(keys, failed)
      const { io, output, preferences, prompts } = context
      await useLedger(context, async ({ inbox, path }, place) => {
        const events = await chosen(inbox, keys, place)
        const isDryRun = preferences.dryRun
        const asks = await showPlan(context, events.length > 0, (terminal) => terminal.fields(planOf(events, path)))
        if (events.length === 0 && !preferences.json) await output.warn('there is nothing to replay.')
        if (asks) await prompts.confirm(questionOf(events.length), 'Give --yes, or --dry-run to see the plan.')
        if (!isDryRun) for (const { key } of events) await inbox.replay(key, io.now())
        const after = isDryRun ? {} : ({ state: 'waiting', failures: 0 } as const)
        const rows = await Promise.all(events.map((event) => eventRowOf({ ...event, ...after })))
        await output.data({
          value: rows,
          columns: io.stdout.isTTY ? eventTable : eventColumns,
          rows,
          ids: rows.map(({ key }) => key),
        })
        if (isDryRun) await output.remark('Nothing was changed.')
        else if (events.length > 0) await output.remark('`certify callbacks listen` will handle them.')
      })
    })
}

function refuseUnclear(keys: readonly string[], failed: boolean): void {
  if (failed !== keys.length > 0) return
  throw new CliError(
    failed
      ? 'keys and --failed cannot be combined. Nothing was changed.'
      : 'the events to replay are missing. Nothing was changed.',
    'Give the keys of events, or --failed. See certify callbacks replay --help.',
  )
}

async function chosen(inbox: LedgerInbox, keys: readonly string[], place: LedgerPlace): Promise<readonly InboxRow[]> {
  const events: InboxRow[] = []
  if (keys.length === 0) for await (const event of inbox.list({ state: 'failed' })) events.push(event)
  for (const key of new Set(keys)) {
    const stored = await inbox.find(key)
    const hint = `\`certify callbacks list${place.flags}\` shows what it has.`
    if (stored === undefined) throw notFoundError('the inbox has no event with this key. Nothing was changed.', hint)
    events.push(stored)
  }
  return events
}

function planOf(events: readonly InboxRow[], ledger: string): Fields {
  const handled = events.filter(({ state }) => state === 'handled').length
  return [
    ['ledger', ledger],
    ['to replay', formatNumber(events.length)],
    ...(handled > 0 ? [['handled', `${formatNumber(handled)} of them: they are handled a second time`] as const] : []),
  ]
}

function questionOf(count: number): string {
  return count === 1 ? 'Handle this event again?' : `Handle these ${formatNumber(count)} events again?`
}
