import { readForwardAddress } from '../callbacks/forward.ts'
import { type ListenFlags, listen } from '../callbacks/listen.ts'
import { CALLBACK_VARIABLES } from '../config/callback-settings.ts'
import type { DefineCommand } from '../context.ts'
import { once, wholeNumber } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { ignoringSignals } from '../sandbox/ignore-signals.ts'

const PORT = 4020

export const define: DefineCommand = (command, context) => {
  command
    .option('--port <port>', 'the port; 0 picks a free one', wholeNumber(0, 65_535), PORT)
    .option('--host <address>', 'the address to listen on', once)
    .option('--forward-to <url>', 'send each event on to this application', readForwardAddress)
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Receives the events of invites that were created with --callbacks, stores each one in the file of the ledger before it ' +
        'is acknowledged, and prints it once. A request without a valid token is answered with 404. Something in front of it, ' +
        'such as a proxy or a tunnel, has to serve your callback base URL over https; `certify mock --map-callback` sends ' +
        'events straight to it.',
      `The secret of the tokens comes from ${CALLBACK_VARIABLES.secret} or the file of ${CALLBACK_VARIABLES.secretFile}, one a line, the newest ` +
        'first; a profile has one of its own otherwise. Old ones are needed while candidates may use their invites.',
      'With --forward-to each event is sent on with the same body, those of one create in order, and printed when the ' +
        'application has answered with 2xx. Else it is sent again after 1 s, 5 s, 30 s, 5 min and 1 h; then it is failed, and ' +
        '`certify callbacks replay` sends it again. The headers x-certify-event-key and x-certify-reference identify it; x-certify-verified is ' +
        'token+ledger if the ledger knows its invite, else token. An event ' +
        'may come twice after a crash, with the same key: what was being sent then is sent again 30 s after its --timeout, or after a replay.',
      'Ctrl-C, SIGTERM or SIGHUP end it after what is being handled, for which an application then has 3 s; the exit code is 0. What is stored and not handled ' +
        'is handled at the next start.',
      UNENCRYPTED,
    ],
    output:
      'one row an event, as it is handled: time of receipt, event, invite id, result (of a claim: retake or level-up), ' +
      'reference, key. Its address and its failures go to stderr.',
    json:
      'one line each, {"type":"listening","url",…} at the start, {"type":"event","key","event","inviteId","result",…} and ' +
      '{"type":"failure","key","reason"}.',
    words: { json: 'print one JSON object a line; errors as one JSON object' },
    refusesJq: true,
    hasNoDryRun: true,
    examples: [
      'certify callbacks listen',
      'certify callbacks listen --forward-to http://127.0.0.1:3000/certify',
      'certify callbacks listen --port 0 --json > events.ndjson',
    ],
  }).action(async ({ host = '127.0.0.1', ...flags }: Omit<ListenFlags, 'host'> & { readonly host?: string }) => {
    /* What is being handled must reach its end. */
    await ignoringSignals(() => listen(context, { ...flags, host }))
  })
}
