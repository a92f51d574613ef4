import type { WishState } from '../../src/ledger/postgres/index.ts'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { choice, once } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, POSTGRES_NOTE } from '../ledger/flags.ts'
import { ledgerFlag } from '../ledger/resolve-hints.ts'
import { useOutbox } from '../worker/open-outbox.ts'
import { WISH_FIELDS, WISH_STATES, WISH_STATES_NOTE, type WishRow, wishColumns, wishRow } from '../worker/outbox-row.ts'

interface Flags extends LedgerFlags {
  readonly state?: WishState
  readonly campaign?: string
  readonly email?: string
}

export const define: DefineCommand = (command, context) => {
  command
    .option(`--state <${WISH_STATES.join('|')}>`, 'in this state', choice(WISH_STATES))
    .option('--campaign <name>', 'of this campaign', once)
    .option('--email <address>', 'of this candidate', once)
  addManual(addLedgerFlags(command), context, {
    notes: [
      `Lists what programs have enqueued with ledger.enqueue, the newest first. ${WISH_STATES_NOTE}`,
      'Without --account it lists all accounts.',
      POSTGRES_NOTE,
    ],
    output:
      'one row a wish: reference, state, e-mail, quiz id, package id, code, reference of the entry, when it is due.',
    json: 'list',
    fields: WISH_FIELDS,
    ids: 'the reference of each wish',
    examples: ['certify outbox list', 'certify outbox list --state unknown --json'],
  }).action(async ({ state, campaign, email, ...flags }: Flags) => {
    const { io, output, program } = context
    const place = readLedgerPlace(io, program.root.opts(), flags)
    const account = place.account.origin === 'default' ? undefined : place.account.value
    await useOutbox(context, flags, async ({ outbox }) => {
      let [count, unknown] = [0, 0]
      async function* rows(): AsyncGenerator<WishRow> {
        for await (const wish of outbox.list({ state, campaign, email, account })) {
          count += 1
          if (wish.state === 'unknown') unknown += 1
          yield wishRow(wish)
        }
      }
      await output.stream({ rows: rows(), columns: wishColumns, table: wishColumns, id: ({ reference }) => reference })
      if (count === 0) await output.remark('Nothing found.')
      if (unknown > 0)
        await output.remark(
          `\nUnknown: ${unknown}. \`certify invites resolve <entry>${ledgerFlag(place)}\` resolves one.`,
        )
    })
  })
}
