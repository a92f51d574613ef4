import { Option } from 'commander'
import { EVENT_STATES, eventColumns, eventRowOf, eventTable } from '../callbacks/event-row.ts'
import type { EventRow } from '../callbacks/event-row.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import { sayNone, useLedger } from '../ledger/open-ledger.ts'

interface Flags {
  readonly state?: EventRow['state']
  readonly reference?: string
}

export const define: DefineCommand = (command, context) => {
  command
    .addOption(new Option('--state <state>', 'only events in this state').choices(EVENT_STATES))
    .option('--reference <reference>', 'only events of the create with this reference', once)
  addManual(addLedgerOptions(command), {
    about: 'Oldest first. Failed events have run out of retries. Handled events are kept for 40 days.',
    output: 'one row per event.',
    columns: eventColumns,
    ids: 'the key of each event',
    advancedOptions: '--account',
    examples: ['certify callbacks list', 'certify callbacks list --state failed --json'],
    guide: 'callbacks.md',
  }).action(async ({ state, reference }: Flags) => {
    const { output } = context
    const filter = state === undefined ? {} : { state }
    await useLedger(
      context,
      async ({ inbox }, place) => {
        let [count, failed] = [0, 0]
        async function* rows(): AsyncGenerator<EventRow> {
          for await (const stored of inbox.list(filter)) {
            if (reference !== undefined && !`${stored.reference}+`.startsWith(`${reference.trim()}+`)) continue
            count += 1
            if (stored.state === 'failed') failed += 1
            yield await eventRowOf(stored)
          }
        }
        await output.stream({ rows: rows(), columns: eventColumns, table: eventTable, id: ({ key }) => key })
        if (count === 0) await sayNone(context, 'No events found.')
        if (failed > 0)
          await output.remark(
            `\nFailed: ${failed}. \`certify callbacks replay --failed${place.flags}\` tries them again.`,
          )
      },
      { ifMissing: 'empty' },
    )
  })
}
