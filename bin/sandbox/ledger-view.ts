import { html } from 'hono/html'
import type { MockServer } from '../../mock-server/index.ts'
import {
  badge,
  count,
  empty,
  isolated,
  type Markup,
  person,
  section,
  table,
} from '../../mock-server/pages/kit/markup.ts'
import type { ExtraView } from '../../mock-server/sandbox/rows.ts'
import { emailKey, type LedgerRecord } from '../../src/ledger/index.ts'
import type { Context } from '../context.ts'
import { useLedger } from '../ledger/open-ledger.ts'

/** The view "Service and ledger": what the mock has beside what the ledger has, row by row. */
export function ledgerView(context: Context): ExtraView {
  const show = async (mock: MockServer, prefix: string) => {
    const records = await useLedger(
      context,
      async (ledger) => {
        const found: LedgerRecord[] = []
        for await (const record of ledger.list({ world: mock.worldId, limit: MOST })) found.push(record)
        return found
      },
      { ifMissing: 'empty' },
    )
    const rows = compared(records, mock.invites)
    const body =
      rows.length === 0 ? empty('Nothing was created here yet, or with another ledger.') : tableOf(rows, prefix)
    const unsettled = rows.filter(({ verdict }) => verdict !== 'agrees').length
    const summary = `${count(rows.length, 'row')}, ${unsettled === 0 ? 'all agree' : `${unsettled} to settle`}`
    return html`${section({ id: 'ledger', title: 'Service and ledger', parts: ['world', 'requestLog'], summary, body })}`
  }
  return { path: '/ledger', name: 'Ledger', show }
}

/* A demonstration, not an archive. */
const MOST = 500

type Verdict = 'agrees' | 'unknown, but it exists' | 'unknown, and it does not exist' | 'not in the ledger'
type Invite = MockServer['invites'][number]

interface Row {
  readonly candidate: Invite['candidate'] | LedgerRecord['input']['candidate']
  readonly about: string
  readonly invites: readonly Invite[]
  readonly record?: LedgerRecord
  readonly verdict: Verdict
}

/* A create without a known invite is compared by its candidate and its quiz or package. */
function compared(records: readonly LedgerRecord[], invites: readonly Invite[]): readonly Row[] {
  const left = new Map(invites.map((invite) => [invite.inviteId, invite]))
  const take = (wanted: (invite: Invite) => boolean): readonly Invite[] => {
    const taken = [...left.values()].filter(wanted)
    for (const { inviteId } of taken) left.delete(inviteId)
    return taken
  }
  const own = new Map(records.map((record) => [record, take(({ inviteId }) => isOf(record, inviteId))]))
  const rows = records.map((record): Row => {
    const { state, input, quizId, packageId, title } = record
    const isSame = (invite: Invite) =>
      emailKey(invite.candidate.email) === emailKey(input.candidate.email) &&
      (packageId === undefined ? invite.packageId === null && invite.quizId === quizId : invite.packageId === packageId)
    const known = own.get(record) ?? []
    const mayHaveOne =
      state === 'unknown' || state === 'sending' || (state === 'created' && record.invites.length === 0)
    const exists = known.length === 0 && mayHaveOne ? take(isSame) : known
    const isOpen = state === 'unknown'
    const verdict = isOpen
      ? exists.length > 0
        ? 'unknown, but it exists'
        : 'unknown, and it does not exist'
      : 'agrees'
    return { candidate: input.candidate, about: title ?? quizId ?? packageId ?? '', invites: exists, record, verdict }
  })
  const others = [...left.values()].map(
    (invite): Row => ({
      candidate: invite.candidate,
      about: invite.skillName,
      invites: [invite],
      verdict: 'not in the ledger',
    }),
  )
  return [...others.toReversed(), ...rows]
}

function isOf({ invites, followUps = [] }: LedgerRecord, id: string): boolean {
  return [...invites, ...followUps].some(({ inviteId }) => inviteId === id)
}

function tableOf(rows: readonly Row[], prefix: string): Markup {
  const lines = rows.map(
    ({ candidate, about, invites, record, verdict }) => html`<tr>
<td class="who">${person({ ...candidate, name: candidate.name ?? null }, 'beginning')}</td>
<td>${isolated(about, 'beginning')}</td>
<td data-label="Service">${invites.length === 0 ? 'no invite' : invites.map(({ inviteId }) => html`<a href="${prefix}/invites/${inviteId}"><code>${inviteId}</code></a> `)}</td>
<td data-label="Ledger">${record === undefined ? 'no record' : badge(record.state)}</td>
<td>${badge(verdict === 'agrees' ? 'passed' : 'failed', verdict)}</td>
</tr>`,
  )
  return table(['Candidate', 'Quiz or package', 'Service', 'Ledger', 'Together'], lines)
}
