import type { LedgerFlags } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, POSTGRES_NOTE } from '../ledger/flags.ts'
import { useOutbox } from '../worker/open-outbox.ts'
import { WISH_FIELDS, wishColumns, wishRow, type WishRow } from '../worker/outbox-row.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Makes wishes wait again that were refused, failed, or are unknown. A worker then sends them. While the entry of a wish is unknown, nothing is sent and it ends unknown again: `certify invites resolve` comes first.',
      'The first reference for which it is not possible ends the command. Those before it are changed.',
      POSTGRES_NOTE,
    ],
    output:
      'one row a wish, as it then is: reference, state, e-mail, quiz id, package id, code, reference of the entry, when it is due.',
    json: 'list',
    fields: WISH_FIELDS,
    ids: 'the reference of each wish',
    refusesJq: true,
    hasNoDryRun: true,
    examples: ['certify outbox retry hire-4711'],
  })
    .argument('<reference...>', 'the references of wishes, as `certify outbox list` prints them')
    .action(async (references: readonly string[], flags: LedgerFlags) => {
      const { output } = context
      await useOutbox(context, flags, async ({ outbox }) => {
        const rows: WishRow[] = []
        for (const reference of new Set(references)) rows.push(wishRow(await outbox.retry(reference)))
        const ids = rows.map(({ reference }) => reference)
        await output.data({ value: rows, columns: wishColumns, rows, ids })
      })
    })
}
