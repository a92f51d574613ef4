import type { ServerResponse } from 'node:http'
import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import {
  count,
  empty,
  hiddenHeading,
  isolated,
  type Markup,
  person,
  section,
  table,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { LedgerChange, LedgerRecord } from '../../src/ledger/index.ts'
import { csvLine } from '../table/csv.ts'
import { printable } from '../terminal/text.ts'
import { undoForm } from './decisions.ts'
import { addressOf, foundText, nothingFound, pageOf, referenceOf, scopeOf, searchForm, type Studio } from './studio.ts'
import { titleOf } from './words.ts'

/** What people decided in this ledger: who, when, and why. The record that was decided last comes first. */
export async function decidedView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { ledger } = studio
  const { query } = request
  const filter = scopeOf(studio, query)
  const [{ rows, links }, found, all] = await Promise.all([
    pageOf(request, referenceOf, ledger.find, (page) => ledger.list({ ...filter, orderBy: 'decided', ...page })),
    ledger.count({ ...filter, decided: true }),
    ledger.count({ ...scopeOf(studio), decided: true }),
  ])
  const headings = ['Decided', 'By', 'Decision', 'Candidate', 'Invited to', 'How they know', hiddenHeading('Undo')]
  const body =
    all === 0
      ? empty('Nobody has decided anything yet.')
      : rows.length === 0
        ? nothingFound(studio, query, count(all, 'decided record'))
        : html`${table(headings, rows.flatMap(decisionRows))}${links}`
  return html`${searchForm(request)}${section({
    id: 'decided',
    title: 'Decisions',
    summary: foundText(query, found, all),
    parts: ['ledger'],
    actions: html`<a href="${addressOf('/decided.csv', { q: query['q'] })}" download="decisions.csv">CSV</a>`,
    body,
  })}`
}

/* The last one first. */
function decisionsOf({ history, decision }: LedgerRecord): readonly LedgerChange[] {
  const made = history.filter(({ what }) => what === 'resolved' || what === 'undone')
  return made.length === 0 && decision !== undefined ? [decision] : made.toReversed()
}

function decisionText({ what, finding }: LedgerChange): string {
  if (what === 'undone') return 'undone'
  return finding === 'created' ? 'exists' : 'does not exist'
}

function decisionRows(record: LedgerRecord): readonly Markup[] {
  const { reference, input } = record
  return decisionsOf(record).map(
    (decision, index) => html`<tr>
<td>${time(decision.at)}</td><td class="fixed">${isolated(decision.by ?? '', 'beginning')}</td><td class="fixed"><b>${decisionText(decision)}</b></td>
<td><a href="/records/${encodeURIComponent(reference)}">${person(input.candidate, 'beginning')}</a></td>
<td>${isolated(titleOf(record), 'beginning')}</td><td>${isolated(decision.note ?? '', 'beginning')}</td>
<td class="do">${index === 0 ? undoForm(record) : ''}</td></tr>`,
  )
}

const CSV_FIELDS = 'decided_at,by,decision,note,email,name,title,campaign,sent_at,reference,state,account'.split(',')

/** All decisions that the address asks for. */
export async function decidedCsv(studio: Studio, query: ListRequest['query'], response: ServerResponse): Promise<void> {
  const records = studio.ledger.list({ ...scopeOf(studio, query), orderBy: 'decided' })
  await sendCsv(response, 'decisions.csv', csvLine(CSV_FIELDS), records, (record) => {
    const { input, campaign = '', sentAt, reference, state, account } = record
    const { email, name } = input.candidate
    const about = [email, name ?? '', titleOf(record), campaign, sentAt, reference, state, account]
    return decisionsOf(record).map((decision) =>
      csvLine(
        [decision.at, decision.by ?? '', decisionText(decision), decision.note ?? '', ...about].map((text) =>
          printable(text),
        ),
      ),
    )
  })
}

/** Sends the lines of each record, as fast as they are read. */
export async function sendCsv(
  response: ServerResponse,
  name: string,
  header: string,
  records: AsyncIterable<LedgerRecord>,
  linesOf: (record: LedgerRecord) => readonly string[],
): Promise<void> {
  response.setHeader('content-disposition', `attachment; filename="${name}"`)
  response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).write(header)
  for await (const record of records) {
    if (response.closed) return
    const isWritten = response.write(linesOf(record).join(''))
    if (!isWritten) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end()
}
