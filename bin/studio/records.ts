import type { ServerResponse } from 'node:http'
import { html } from 'hono/html'
import { type ListRequest, listSection } from '../../mock-server/pages/kit/lists.ts'
import {
  badge,
  copyButton,
  count,
  isolated,
  type Markup,
  person,
  section,
  table,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { LedgerChange, LedgerFilter, LedgerRecord } from '../../src/ledger/index.ts'
import { chainsOf, INVITE_CSV_HEADER, inviteCsvLine, inviteRowsOf, LISTED_STATES } from '../ledger/invite-row.ts'
import { maskLink } from '../terminal/text.ts'
import { decisionForms, undoForm } from './decisions.ts'
import { pageOf, referenceOf, SOON_MS, type Studio } from './studio.ts'
import { expiryOf, lossText, resultOf, scopeOf, statusOf, titleOf } from './words.ts'

/** The records that match the search and the chosen state, newest first, or the next to expire. */
export async function recordsView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { ledger, now } = studio
  const { query } = request
  const found = await pageOf(request, referenceOf, ledger.find, recordsOf(studio, query))
  const searched = searchOf(studio, query)
  const counts = new Map<string, number>()
  let all = 0
  for (const { state, results, records: number } of await ledger.progress(SOON_MS, searched)) {
    for (const status of [state, ...results]) counts.set(status, (counts.get(status) ?? 0) + number)
    all += number
  }
  const listed = LISTED_STATES.flatMap((status) => (counts.has(status) ? [[status, counts.get(status)] as const] : []))
  const csv = new URLSearchParams(query).toString()
  return listSection(request, {
    id: 'records',
    title: TITLES[query['status'] ?? ''] ?? 'Records',
    parts: ['ledger'],
    found: { rows: found.rows, total: all, page: 1, pages: 1 },
    summary: count(all, 'record'),
    actions: html`<a href="/records.csv?${csv}" download="records.csv">CSV</a>`,
    search: ['q', 'name, e-mail, title, campaign, reference or id'],
    counts: [new Map(listed), all],
    none: all === 0 && !query['q'] ? 'The ledger has no records yet.' : 'No record matches.',
    rows: (rows) => html`${recordTable(rows, now())}${found.links}`,
  })
}

const TITLES: Readonly<Record<string, string>> = { expiring: 'Expire within 3 days', 'with-result': 'With a result' }

/** The records that an address asks for, a page of them or all. */
function recordsOf(studio: Studio, query: ListRequest['query']) {
  const { status = '' } = query
  const isExpiring = status === 'expiring'
  const state = LISTED_STATES.find((each) => each === status)
  const filter: LedgerFilter = {
    ...searchOf(studio, query),
    ...(status === 'with-result' || isExpiring
      ? { hasResult: !isExpiring }
      : state === 'passed' || state === 'failed'
        ? { result: state }
        : { state }),
  }
  return (page: Pick<LedgerFilter, 'limit' | 'before'> = {}) =>
    isExpiring ? studio.ledger.expiring(SOON_MS, { ...filter, ...page }) : studio.ledger.list({ ...filter, ...page })
}

const LONGEST_SEARCH = 200

function searchOf({ account }: Studio, { q = '' }: ListRequest['query']): LedgerFilter {
  return { ...scopeOf(account), ...(q.trim() !== '' && { search: q.slice(0, LONGEST_SEARCH) }) }
}

function recordTable(records: readonly LedgerRecord[], now: number): Markup {
  const rows = records.map((record) => {
    const { reference, input, sentAt } = record
    const expiresAt = expiryOf(record)
    return html`<tr>
<td class="who"><a href="/records/${encodeURIComponent(reference)}">${person(input.candidate, 'beginning')}</a></td>
<td>${isolated(titleOf(record), 'beginning')}</td>
<td>${badge(statusOf(record, now))}</td>
<td data-label="Sent">${time(sentAt)}</td>
<td data-label="${expiresAt === undefined ? '' : 'Expires'}">${expiresAt === undefined ? '' : time(expiresAt)}</td>
</tr>`
  })
  return table(['Candidate', 'Quiz or package', 'State', 'Sent', 'Expires'], rows)
}

/** One record with its history. `undefined` if there is none. */
export async function recordView(
  { ledger, account, now }: Studio,
  { path, query }: ListRequest,
  reference: string,
): Promise<Markup | undefined> {
  const record = await ledger.find(reference)
  if (record === undefined || (account !== undefined && record.account !== account)) return undefined
  const { input, state, code, sentAt, settledAt, campaign, row, baseUrl, invites, history, changesOmitted } = record
  const { challengeUrls = [] } = record
  const isShown = query['link'] === 'shown'
  const rows = inviteRowsOf(record, true)
  const chains = [...new Set(rows.flatMap((each) => chainsOf(each, record)))]
  const facts: readonly (readonly [string, Markup | string | undefined])[] = [
    ['Candidate', person(input.candidate)],
    ['Invited to', isolated(titleOf(record))],
    ['What happened', state === 'unknown' ? lossText(record) : undefined],
    ['Sent', time(sentAt)],
    ['Settled', settledAt === undefined || state === 'unknown' ? undefined : time(settledAt)],
    ['Result', resultOf(record)],
    ['Code', code],
    [
      'Campaign',
      campaign === undefined ? undefined : html`${isolated(campaign)}${row === undefined ? '' : `, row ${row}`}`,
    ],
    ['Reference', html`<code>${isolated(reference)}</code>`],
    [
      'Your reference',
      ('externalReference' in input && input.externalReference && isolated(input.externalReference)) || undefined,
    ],
    ...challengeUrls.map((link) => ['Link', linkOf(link, isShown)] as const),
    ['Service', isolated(baseUrl)],
    ['Account', isolated(record.account)],
    ...chains.map((chain) => ['Follow-ups', isolated(chain)] as const),
  ]
  const links = challengeUrls.length > 0 || invites.some(({ challengeUrl }) => challengeUrl !== undefined)
  const toggle = isShown
    ? html`<a class="button quiet" href="${path}">Hide links</a>`
    : html`<a class="button quiet" href="${path}?link=shown">Show links</a>`
  return html`<div class="invite-page">${section({
    id: 'record',
    title: input.candidate.name ?? input.candidate.email,
    parts: ['ledger'],
    summary: '',
    actions: badge(statusOf(record, now())),
    body: html`${factList(facts)}${invites.map(
      (invite) =>
        html`<h3>Invite <code>${isolated(invite.inviteId)}</code></h3>${factList([
          ['Skill', invite.skillName && isolated(invite.skillName)],
          [
            'Result',
            invite.result &&
              html`${badge(invite.result)} ${invite.resultAt === undefined ? '' : time(invite.resultAt)}`,
          ],
          [
            'Expires',
            html`${time(invite.expiresAt)}${invite.expiryAssumed ? ' (assumed: the service gave none)' : ''}`,
          ],
          [
            'E-mail',
            invite.emailSent === undefined ? undefined : invite.emailSent ? 'sent by the service' : 'not sent',
          ],
          ['Link', invite.challengeUrl && linkOf(invite.challengeUrl, isShown)],
        ])}`,
    )}<div class="buttons">${links ? toggle : ''}${undoForm(record)}${decisionForms(record)}</div>`,
  })}${section({
    id: 'history',
    title: 'History',
    parts: ['ledger'],
    summary: changesOmitted === 0 ? '' : `${changesOmitted} changes are left out`,
    body: html`<ol class="timeline">${history.map(changeStep)}</ol>`,
  })}</div>`
}

function factList(facts: readonly (readonly [string, Markup | string | undefined])[]): Markup {
  return html`<dl class="facts">${facts.map(([name, value]) => (value ? html`<dt>${name}</dt><dd>${value}</dd>` : ''))}</dl>`
}

function linkOf(link: string, isShown: boolean): Markup {
  return isShown
    ? html`<code>${isolated(link)}</code> ${copyButton(link, 'Copy', 'link')}`
    : html`<code>${maskLink(link)}</code>`
}

function changeStep({ at, what, finding, code, inviteIds = [], by, note, from }: LedgerChange): Markup {
  const isGood = what === 'created' || finding === 'created' || what === 'event'
  const title =
    finding === undefined
      ? (CHANGES[what] ?? what)
      : finding === 'created'
        ? 'Decided: it exists'
        : 'Decided: it does not exist'
  const facts = [by && `by ${by}`, ...inviteIds, from && `from ${from}`, code].filter(Boolean).join(', ')
  return html`<li class="step ${isGood ? 'good' : what === 'unknown' || what === 'lapsed' ? 'poor' : ''}"><b>${title}</b>
${facts === '' ? '' : html`<p class="small">${isolated(facts)}</p>`}${note === undefined ? '' : html`<p>${isolated(note)}</p>`}
<p>${time(at)}</p></li>`
}

const CHANGES: Readonly<Record<string, string>> = {
  sent: 'Sent',
  created: 'Created',
  refused: 'Refused by the service',
  'not-executed': 'Not executed',
  unknown: 'Response lost',
  lapsed: 'No outcome was recorded',
  event: 'Named by a callback',
  undone: 'Decision undone',
  imported: 'Imported',
  late: 'An earlier create had created it after all',
  replaced: 'Replaced a create that created nothing',
}

/** All records that the address asks for, as `certify invites list --csv` prints them. */
export async function csvOf(studio: Studio, query: ListRequest['query'], response: ServerResponse): Promise<void> {
  response.setHeader('content-disposition', 'attachment; filename="records.csv"')
  response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).write(INVITE_CSV_HEADER)
  for await (const record of recordsOf(studio, query)()) {
    if (response.closed) return
    const isWritten = response.write(inviteRowsOf(record, false).map(inviteCsvLine).join(''))
    if (!isWritten) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end()
}
