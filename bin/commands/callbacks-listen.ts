import { lineColumns } from '../callbacks/event-row.ts'
import { listen, type ListenFlags, readForwardAddress } from '../callbacks/listen.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { filled, wholeNumber } from '../flags.ts'
import { addManual } from '../help.ts'
import { ignoringSignals } from '../sandbox/ignore-signals.ts'

const PORT = 4020

export const define: DefineCommand = (command, context) => {
  command
    .option('--port <port>', `the port; 0 picks a free one; default: ${PORT}`, wholeNumber(0, 65_535), PORT)
    .option('--host <address>', 'the address to listen on', filled)
    .option('--forward-to <url>', 'send each event on to this application', readForwardAddress)
  addManual(addLedgerOptions(command), {
    about:
      'Receives the events of invites that were created with --callbacks, and stores each before acknowledging it. It needs a ' +
      'tunnel or proxy that serves your callback base URL over https.',
    output: 'one row per event, as it is handled. With --json one line each, with "type": listening, event or failure.',
    columns: lineColumns,
    advancedOptions: '--account',
    examples: [
      'certify callbacks listen --forward-to http://127.0.0.1:3000/certify',
      'certify callbacks listen --port 0 --json > events.ndjson',
    ],
    guide: 'callbacks.md',
  }).action(async ({ host = '127.0.0.1', ...flags }: Omit<ListenFlags, 'host'> & { readonly host?: string }) => {
    /* Events in progress must be completed. */
    await ignoringSignals(() => listen(context, { ...flags, host }))
  })
}
