import type { LedgerEntry } from '../../src/ledger/index.ts'
import { readLedgerPlace } from '../config/ledger.ts'
import { addManual } from '../help/manual.ts'
import type { ListFlags } from '../ledger/listing.ts'
import { openToRead } from '../ledger/open.ts'
import { RECORDED_FIELDS, RECORDED_ROW, type RecordedInvite, recordedColumns, recordedIn } from '../ledger/recorded.ts'
import type { Terminal } from '../terminal/output.ts'
import { UsageError } from '../usage-error.ts'
import type { DefineCommand } from './command.ts'
import { addLedgerFlags, addShowLinks, IN_CLEAR, OF_THE_RECORD } from './ledger-flags.ts'

/** certify invites view */
export const define: DefineCommand = (command, context) => {
  addManual(addShowLinks(addLedgerFlags(command)), context, {
    notes: [OF_THE_RECORD, 'Of all services and accounts in the file.', IN_CLEAR],
    output: `everything that is recorded of the invite. Into a pipe, one row: ${RECORDED_ROW}.`,
    json: 'the invite, with what else is recorded.',
    fields: RECORDED_FIELDS,
    ids: 'the id of the invite',
    examples: ['certify invites view inv_123', 'certify invites view inv_123 --show-links --json'],
  })
    .argument('<invite-id>', 'the invite, as `certify invites list` shows it')
    .action(async (inviteId: string, { showLinks = false, ...flags }: ListFlags) => {
      const { io, output, program } = context
      const ledger = await openToRead(context, readLedgerPlace(io, program.root.opts(), flags))
      try {
        const found: LedgerEntry[] = []
        for await (const entry of ledger.list({ inviteId })) found.push(entry)
        const [newest, ...older] = found.flatMap((entry) =>
          recordedIn(entry, showLinks).filter((row) => row.inviteId === inviteId),
        )
        if (newest === undefined) throw notFound()
        await output.data({
          value: newest,
          columns: recordedColumns,
          rows: [newest],
          ids: [inviteId],
          draw: (terminal) => drawRecorded(newest, io.now(), terminal),
        })
        /* Two services, or a mock that was started anew, may have given the same. */
        if (older.length > 0) await output.warn(`the ledger has this id ${older.length + 1} times; this is the newest.`)
      } finally {
        await ledger.close()
      }
    })
}

function drawRecorded(row: RecordedInvite, now: number, terminal: Terminal): string {
  const { inviteId, state, campaign, expiresAt } = row
  const expiry = expiresAt === null ? null : `${expiresAt}${Date.parse(expiresAt) <= now ? ', which is past' : ''}`
  const fields = [
    ['for', row.email],
    ['name', row.name],
    ['quiz id', row.quizId],
    ['skill', row.skillName],
    ['package id', row.packageId],
    ['link', row.challengeUrl],
    ['expires', expiry],
    ['e-mail', row.emailSent === null ? null : row.emailSent ? 'sent by the service' : 'not sent'],
    ['sent', row.sentAt],
    ['settled', row.settledAt],
    ['reference', row.reference],
    ['your reference', row.externalReference],
    ['callback', row.callbackUrl],
    ['campaign', campaign === null ? null : `${campaign}${row.row === null ? '' : `, row ${row.row}`}`],
    ['service', row.baseUrl],
    ['account', row.account],
  ] as const
  const known = fields.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  return `${terminal.bold(inviteId ?? '')}  ${terminal.dim(state)}\n${terminal.fields(known)}`
}

function notFound(): UsageError {
  return new UsageError({
    code: 'NOT_FOUND',
    message: 'the ledger has no invite of this id.',
    hint: '`certify invites list --all` shows what it has.',
    exitCode: 5,
  })
}
