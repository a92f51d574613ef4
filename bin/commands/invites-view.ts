import type { LedgerChange, LedgerRecord } from '../../src/ledger/index.ts'
import { notFoundError } from '../cli-error.ts'
import type { LedgerPlace } from '../config/ledger-place.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import { chainsOf, colorOf, idOf, inviteColumns, type InviteRow } from '../ledger/invite-row.ts'
import { isAddress, recordsOf, rowNamed } from '../ledger/invite-filters.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { howToFindOut } from '../terminal/error-wording.ts'
import type { Terminal } from '../terminal/output.ts'

export const define: DefineCommand = (command, context) => {
  command.option('--show-links', 'show the link unmasked: anyone who has it can use it')
  addManual(addLedgerOptions(command), {
    about:
      'Searches all services and accounts in the ledger. For a create without a known invite, give its reference; an e-mail address finds the newest record.',
    output:
      'everything recorded about the invite, its history, and the chain of its follow-ups with their results. In a pipe, one row.',
    columns: inviteColumns,
    ids: 'the id of the invite, or the reference if none is known,',
    advancedOptions: '--account',
    examples: ['certify invites view ada@example.com', 'certify invites view inv_123 --show-links --json'],
    guide: 'ledger.md',
  })
    .argument(
      '<invite>',
      'its id, the reference of a create, or an e-mail address; `certify invites list --quiet` prints ids and references',
    )
    .action(async (id: string, { showLinks = false }: { readonly showLinks?: boolean }) => {
      const { io, output } = context
      await useLedger(context, async (ledger, place) => {
        const [newest, ...older] = await recordsOf(ledger, id)
        if (newest === undefined) {
          throw notFoundError(
            'the ledger has no invite with this id or for this address, and no create with this reference.',
            `\`certify invites list --all${place.flags}\` shows what it has.`,
          )
        }
        const row = rowNamed(id, newest, showLinks, place)
        await output.data({
          value: { ...row, history: newest.history },
          columns: inviteColumns,
          rows: [row],
          ids: [idOf(row)],
          draw: (terminal) => drawInvite(row, newest, io.now(), place, terminal),
        })
        /* Two services, or a restarted mock, may use the same id. */
        if (older.length > 0) {
          const [what, how] = isAddress(id)
            ? ['address', `: \`certify invites list --all --email <address>${place.flags}\` shows all`]
            : ['id', '']
          await output.warn(`the ledger has this ${what} ${older.length + 1} times; this is the newest${how}.`)
        }
      })
    })
}

function drawInvite(row: InviteRow, record: LedgerRecord, now: number, place: LedgerPlace, terminal: Terminal): string {
  const { state, campaign, expiresAt } = row
  const settledAt = state === 'unknown' ? null : row.settledAt
  const assumed = row.expiryAssumed ? ', assumed: the service returned no usable expiry' : ''
  const expiry = expiresAt === null ? null : `${expiresAt}${Date.parse(expiresAt) <= now ? ', expired' : ''}${assumed}`
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
    ['settled', settledAt === null ? null : `${settledAt}${settledByText(record)}`],
    ['result', resultText(row)],
    ...chainsOf(row, record).map((chain) => ['chain', chain] as const),
    ...record.history.map((change) => ['history', historyText(change)] as const),
    ['code', row.code],
    ['reference', row.reference],
    ['your reference', row.externalReference],
    ['callback', row.callbackUrl],
    ['campaign', campaign === null ? null : `${campaign}${row.row === null ? '' : `, row ${row.row}`}`],
    ['service', row.baseUrl],
    ['account', row.account],
    ['what to do', state === 'unknown' ? howToFindOut(row.reference, place.flags) : null],
  ] as const
  const known = fields.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  return `${terminal.bold(idOf(row))}  ${terminal.styled(colorOf(state) ?? 'dim', state)}\n${terminal.fields(known)}`
}

function historyText({ at, what, finding, code, inviteIds = [], by, note, from }: LedgerChange): string {
  const about = [finding, ...inviteIds, by && `by ${by}`, note, from && `from ${from}`, code].filter(Boolean).join(', ')
  return `${at} ${what}${about === '' ? '' : `: ${about}`}`
}

function settledByText({ state, invites, challengeUrls }: LedgerRecord): string {
  const hasNoLink =
    state === 'created' && !challengeUrls && invites.some(({ challengeUrl }) => challengeUrl === undefined)
  return hasNoLink ? '; its link is not recorded' : ''
}

function resultText({ result, resultAt, validUntil }: InviteRow): string | null {
  if (result === null) return null
  return `${result}, ${resultAt}${validUntil === null ? '' : `, valid until ${validUntil}`}`
}
