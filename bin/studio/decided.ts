import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import { hiddenHeading, isolated, type Markup, person, table, time } from '../../mock-server/pages/kit/markup.ts'
import type { LedgerChange, LedgerRecord } from '../../src/ledger/index.ts'
import { csvLine } from '../table/csv.ts'
import { printable } from '../terminal/text.ts'
import { undoForm } from './decisions.ts'
import { csvResponse, listView } from './list.ts'
import { scopeOf, type Studio } from './studio.ts'
import { titleOf } from './words.ts'

/** What people decided in this ledger: who, when, and why. The record that was decided last comes first. */
export async function decidedView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { ledger } = studio
  const count = (query?: ListRequest['query']) => ledger.count({ ...scopeOf(studio, query), decided: true })
  const headings = ['Decided', 'By', 'Decision', 'Candidate', 'Invited to', 'How they know', hiddenHeading('Undo')]
  return listView(studio, request, {
    id: 'decided',
    title: 'Decisions',
    noun: ['decided record', 'decided records'],
    none: 'Nobody has decided anything yet.',
    found: await count(request.query),
    all: await count(),
    rows: (page) => ledger.list({ ...scopeOf(studio, request.query), orderBy: 'decided', ...page }),
    show: (records) => table(headings, records.flatMap(decisionRows)),
    csv: '/decided.csv',
  })
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
<td>${time(decision.at)}</td><td>${isolated(decision.by ?? '', 'beginning')}</td><td><b>${decisionText(decision)}</b></td>
<td class="who"><a href="/records/${encodeURIComponent(reference)}">${person(input.candidate, 'beginning')}</a></td>
<td>${isolated(titleOf(record), 'beginning')}</td><td>${isolated(decision.note ?? '', 'beginning')}</td>
<td class="do">${index === 0 ? undoForm(record) : ''}</td></tr>`,
  )
}

const CSV_FIELDS = 'decided_at,by,decision,note,email,name,title,campaign,sent_at,reference,state,account'.split(',')

/** All decisions that the address asks for. */
export function decidedCsv(studio: Studio, query: ListRequest['query']): Response {
  const records = studio.ledger.list({ ...scopeOf(studio, query), orderBy: 'decided' })
  return csvResponse(csvLine(CSV_FIELDS), records, (record) => {
    const { input, campaign = '', sentAt, reference, state, account } = record
    const { email, name = '' } = input.candidate
    const about = [email, name, titleOf(record), campaign, sentAt, reference, state, account]
    return decisionsOf(record).map((decision) => {
      const { at, by = '', note = '' } = decision
      return csvLine([at, by, decisionText(decision), note, ...about].map((text) => printable(text)))
    })
  })
}
