import { durationOf, readRate } from '../bulk/options/bulk-options.ts'
import type { DefineCommand } from '../context.ts'
import { wholeNumber } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, POSTGRES_NOTE } from '../ledger/flags.ts'
import { type WorkerFlags, work } from '../worker/work.ts'

export const define: DefineCommand = (command, context) => {
  addLedgerFlags(command)
    .option('--concurrency <number>', 'the number of concurrent requests, up to 256; default: 8', wholeNumber(1, 256))
    .option('--rate <number>', 'the most requests in a second', readRate)
    .option(
      '--max-outage <duration>',
      'end if the service does not answer for so long, 0s or more; default: 10m',
      durationOf('--max-outage'),
    )
    .option(
      '--max-wait <duration>',
      'end if the service asks to wait longer, 0s or more; default: no limit',
      durationOf('--max-wait'),
    )
    .option('--drain', 'end when nothing is waiting')
    .option('--allow-clock-skew', 'send even if the clocks of this machine, the service and the ledger are apart')
  addManual(command, context, {
    scope: 'CERTIFICATION_INVITE_CREATE',
    notes: [
      'Sends what programs have enqueued with ledger.enqueue in a transaction of theirs: see docs/outbox.md. It waits for new ' +
        'wishes until it is interrupted. Several workers may run at the same time, on several machines: each wish is sent once.',
      'It needs a ledger in Postgres, and sends what is enqueued for --account.',
      POSTGRES_NOTE,
      'What is refused, failed or unknown is not sent again by itself: `certify outbox list --state unknown`. What a later ' +
        'try may cure, such as a rate limit, is tried again.',
      'In an outage no create is sent, and a query checks whether the service answers. An outage makes at most as many wishes ' +
        'unknown as --concurrency. A failure that every wish would have, such as a key that is not accepted, ends the worker: ' +
        'what was not sent is still waiting.',
      'Ctrl-C, SIGTERM or SIGHUP once: nothing more is taken, requests in progress are completed and recorded, the exit code is ' +
        '0. Ctrl-C or SIGTERM again: it ends at once; the ledger then decides what became of requests in progress.',
      'With --drain the exit code is 6 if some wish became unknown, and 3 if some were refused or failed.',
    ],
    output:
      'one row for each wish, as it is done: reference, state (created, already_invited, refused, failed, unknown; waiting if it ' +
      'is tried again later), invite ids, reference of the entry, code. The start, the progress and the summary go to stderr.',
    json:
      'one line for each wish, {"type":"wish","reference","state","invites":[…],…}, and a last one, {"type":"summary",…}; ' +
      'then the progress is not printed.',
    ids: 'the ids of the created invites',
    words: { json: 'print one JSON object a line; errors as one JSON object' },
    refusesJq: true,
    hasNoDryRun: true,
    examples: [
      'certify worker --ledger postgres://certify@db.internal/hiring',
      'certify worker --rate 20 --json > wishes.ndjson',
      'certify worker --drain',
    ],
  }).action((flags: WorkerFlags) => work(context, flags))
}
