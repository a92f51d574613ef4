import type { WishState } from '../../src/ledger/postgres/index.ts'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { choice, once } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, addLimit, LIMIT_NOTE, POSTGRES_NOTE } from '../ledger/flags.ts'
import { ListLimit } from '../ledger/list-limit.ts'
import { ledgerFlag } from '../ledger/resolve-hints.ts'
import { useOutbox } from '../worker/open-outbox.ts'
import {
  WISH_FIELDS,
  WISH_STATES,
  WISH_STATES_NOTE,
  type WishRow,
  wishColumns,
  wishRow,
  wishTable,
} from '../worker/outbox-row.ts'

interface Flags extends LedgerFlags {
  readonly state?: WishState
  readonly campaign?: string
  readonly email?: string
  readonly limit?: string
}

export const define: DefineCommand = (command, context) => {
  command
    .option(`--state <${WISH_STATES.join('|')}>`, 'in this state', choice(WISH_STATES))
    .option('--campaign <name>', 'of this campaign', once)
    .option('--email <address>', 'of this candidate', once)
  addManual(addLedgerFlags(addLimit(command)), context, {
    notes: [
      `Lists what programs have enqueued with ledger.enqueue, the newest first. ${WISH_STATES_NOTE}`,
      `Without --account it lists all accounts. ${LIMIT_NOTE}`,
      POSTGRES_NOTE,
    ],
    output:
      'one row a wish: reference, state, e-mail, quiz id, package id, code, reference of the entry, when it is due.',
    json: 'list',
    fields: WISH_FIELDS,
    ids: 'the reference of each wish',
    examples: ['certify outbox list', 'certify outbox list --state unknown --json', 'certify outbox list --limit 200'],
  }).action(async ({ state, campaign, email, limit: limitFlag, ...flags }: Flags) => {
    const { io, output, program } = context
    const place = readLedgerPlace(io, program.root.opts(), flags)
    const account = place.account.origin === 'default' ? undefined : place.account.value
    await useOutbox(context, flags, async ({ outbox }) => {
      const limit = new ListLimit(context, limitFlag)
      let unknown = 0
      async function* rows(): AsyncGenerator<WishRow> {
        for await (const wish of outbox.list({ state, campaign, email, account })) {
          const next = limit.next()
          if (next === 'end') return
          if (next === 'count') continue
          if (wish.state === 'unknown') unknown += 1
          yield wishRow(wish)
        }
      }
      await output.stream({ rows: rows(), columns: wishColumns, table: wishTable, id: ({ reference }) => reference })
      if (limit.shown === 0) await output.remark('Nothing found.')
      if (limit.remark !== '') await output.remark(limit.remark)
      if (unknown > 0)
        await output.remark(
          `\nUnknown: ${unknown}. \`certify invites resolve <entry>${ledgerFlag(place)}\` resolves one.`,
        )
    })
  })
}
