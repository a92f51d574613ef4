import {
  EVENT_FIELDS,
  EVENT_ROW_NOTE,
  EVENT_STATES,
  eventColumns,
  eventRowOf,
  eventTable,
} from '../callbacks/event-row.ts'
import type { EventRow } from '../callbacks/event-row.ts'
import type { LedgerFlags } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { choice, once } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { ledgerFlag } from '../ledger/resolve-hints.ts'

interface Flags extends LedgerFlags {
  readonly state?: EventRow['state']
  readonly reference?: string
}

export const define: DefineCommand = (command, context) => {
  command
    .option(`--state <${EVENT_STATES.join('|')}>`, 'in this state', choice(EVENT_STATES))
    .option('--reference <reference>', 'of the create with this reference', once)
  addManual(addLedgerFlags(command), context, {
    notes: [
      'The events that certify callbacks listen, or your own receiver with the same file, has stored; oldest first. The ' +
        'states: waiting (to be handled, or to be tried again), parked (a result of a follow-up that was not claimed yet, as ' +
        'far as is known), handled, and failed (tried too often; certify callbacks replay makes it due again). Handled events ' +
        'are kept for 40 days.',
      UNENCRYPTED,
    ],
    output: `one row an event: ${EVENT_ROW_NOTE}.`,
    json: 'list',
    fields: EVENT_FIELDS,
    ids: 'the key of each event',
    examples: ['certify callbacks list', 'certify callbacks list --state failed --json'],
  }).action(async ({ state, reference, ...flags }: Flags) => {
    const { output } = context
    const filter = state === undefined ? {} : { state }
    await useLedger(context, flags, async ({ inbox }, place) => {
      let [count, failed] = [0, 0]
      async function* rows(): AsyncGenerator<EventRow> {
        for await (const stored of inbox.list(filter)) {
          if (reference !== undefined && stored.reference !== reference.trim()) continue
          count += 1
          if (stored.state === 'failed') failed += 1
          yield await eventRowOf(stored)
        }
      }
      await output.stream({ rows: rows(), columns: eventColumns, table: eventTable, id: ({ key }) => key })
      if (count === 0) await output.remark('No events found.')
      if (failed > 0)
        await output.remark(
          `\nFailed: ${failed}. \`certify callbacks replay --failed${ledgerFlag(place)}\` tries them again.`,
        )
    })
  })
}
