import { storedEvent } from '../callbacks/stored-event.ts'
import type { LedgerFlags } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { useLedger } from '../ledger/open-ledger.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'The body as the service sent it: it may have data of the candidate. `certify callbacks list` shows the rest.',
      UNENCRYPTED,
    ],
    output: 'the body as JSON.',
    json: 'the same.',
    examples: [
      'certify callbacks view cb_3kTMd0fyZpHcX1u8wq2VbN7s',
      "certify callbacks view cb_3kTMd0fyZpHcX1u8wq2VbN7s --jq '.data'",
    ],
  })
    .argument('<key>', 'the key of the event, as `certify callbacks list` prints it')
    .action(async (key: string, flags: LedgerFlags) => {
      await useLedger(context, flags, async ({ inbox }, place) => {
        const { body } = await storedEvent(inbox, key, place)
        const value = JSON.parse(new TextDecoder().decode(body)) as unknown
        await context.output.document(value, 'can-be-fetched-again')
      })
    })
}
