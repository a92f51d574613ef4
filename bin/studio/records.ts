import type { ServerResponse } from 'node:http'
import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import {
  badge,
  count,
  empty,
  isolated,
  type Markup,
  person,
  section,
  table,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { LedgerFilter, LedgerGroup, LedgerRecord } from '../../src/ledger/index.ts'
import { INVITE_CSV_HEADER, inviteCsvLine, inviteRowsOf } from '../ledger/invite-row.ts'
import { sendCsv } from './decided.ts'
import { recordsBy, tallies, titleIn } from './overview.ts'
import { expiryOf, FILTERS, GROUPINGS, isShown, resultOf, stateOf, STATUSES, sumOf } from './status.ts'
import {
  addressOf,
  foundText,
  nameOf,
  nothingFound,
  pageOf,
  referenceOf,
  HttpError,
  scopeOf,
  searchForm,
  SOON_MS,
  type Studio,
} from './studio.ts'
import { titleOf } from './words.ts'

type Query = ListRequest['query']

/** The records that an address asks for: what is searched for, and chosen by links. */
export async function recordsView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { query } = request
  const groups = await studio.ledger.progress(SOON_MS, searchOf(studio, query))
  const chosen = groups.filter((group) => isChosen(group, query))
  const found = sumOf(chosen, query['status'] ?? '')
  /* The database would look through all records to find none. */
  const page =
    found === 0
      ? { rows: [], links: '' }
      : await pageOf(request, referenceOf, studio.ledger.find, recordsOf(studio, query))
  const { q: _searched, ...others } = query
  const all = query['q'] ? await studio.ledger.count(filterOf(studio, others)) : found
  const body =
    page.rows.length > 0
      ? html`${recordTable(page.rows, request, studio.now())}${page.links}`
      : query['q'] && all > 0
        ? nothingFound(studio, query, count(all, 'record'))
        : empty(
            all === 0 && groups.length > 0 ? 'No record is like that.' : `${nameOf(studio.ledger)} has no records yet.`,
          )
  return html`${searchForm(request)}${section({
    id: 'records',
    title: TITLES[query['status'] ?? ''] ?? 'Records',
    parts: ['ledger'],
    summary: foundText(query, found, all),
    actions: html`<a href="${addressOf('/records.csv', { ...query, before: undefined })}" download="records.csv">CSV</a>`,
    body: html`${await links(studio, request, groups)}${body}`,
  })}`
}

const TITLES: Readonly<Record<string, string>> = { expiring: 'Expire within 3 days', 'with-result': 'With a result' }

/* The account, the search and the time: the rest is counted in groups. */
function searchOf(studio: Studio, query: Query): LedgerFilter {
  const { since } = query
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    throw new HttpError(400, 'The time in the address is none.')
  return { ...scopeOf(studio, query), ...(since !== undefined && { since }) }
}

function isChosen(group: LedgerGroup, query: Query): boolean {
  return GROUPINGS.every(([name, , of]) => !query[name] || of(group).includes(query[name]))
}

/* What is chosen, whatever its status. */
function filterOf(studio: Studio, query: Query): LedgerFilter {
  const { campaign, quiz, package: packageId } = query
  return {
    ...searchOf(studio, query),
    ...(campaign && { campaign }),
    ...(quiz && { quizId: quiz }),
    ...(packageId && { packageId }),
  }
}

/* The records that an address asks for, a page of them or all. */
function recordsOf(studio: Studio, query: Query) {
  const { status = '', sort } = query
  const filter = { ...filterOf(studio, query), ...(Object.hasOwn(FILTERS, status) ? FILTERS[status] : {}) }
  return async function* matching({ limit, before }: Pick<LedgerFilter, 'limit' | 'before'> = {}) {
    /* Of some, not all are shown. */
    const page = { ...filter, ...(before && { before }), ...(limit && status !== 'failed' && { limit }) }
    const found =
      status === 'expiring'
        ? studio.ledger.expiring(SOON_MS, page)
        : studio.ledger.list({ ...page, ...((sort === 'expiry' || sort === 'sent') && { orderBy: sort }) })
    for await (const record of found) if (isShown(status, record)) yield record
  }
}

const MAX_LINKS = 8

/* How many records have each state, campaign, quiz and package, each a link to them. The chosen one leads back. */
async function links(studio: Studio, request: ListRequest, groups: readonly LedgerGroup[]): Promise<Markup> {
  const { query } = request
  const { status = '', before: _before, ...others } = query
  const kept = { ...others, status }
  const statuses = [...STATUSES, ...(TITLES[status] === undefined && status !== 'created' ? [] : [status])]
  const ofStatus = groups.filter((group) => isChosen(group, query))
  const states = [
    link('/records', others, 'all', sumOf(ofStatus, ''), status === ''),
    ...statuses.flatMap((each) => {
      const number = sumOf(ofStatus, each)
      if (number === 0 && each !== status) return []
      return [link('/records', { ...others, status: each }, each.replaceAll('-', ' '), number, each === status)]
    }),
  ]
  const facets = await Promise.all(
    GROUPINGS.map(async ([name, , namesOf]) => {
      const among = groups.filter((group) => isChosen(group, { ...query, [name]: '' }))
      const found = tallies(among, namesOf)
      const shown = found.filter(([value], index) => (query[name] ? value === query[name] : index < MAX_LINKS))
      if (found.length < 2 && !query[name]) return html``
      const records = await recordsBy(
        studio,
        shown.flatMap(([, own]) => own.slice(0, 4).map(referenceOf)),
      )
      const items = shown
        .map(([value, own]) => ({
          value,
          number: sumOf(own, status),
          title: name === 'campaign' ? value : titleIn(value, own, records, name === 'quiz'),
        }))
        .filter(({ value, number }) => number > 0 || value === query[name])
        .toSorted((one, other) => one.title.localeCompare(other.title))
        .map(({ value, number, title }) => {
          const isIt = query[name] === value
          return link('/records', { ...kept, [name]: isIt ? '' : value }, isIt ? `${title} ×` : title, number, isIt)
        })
      return html`<nav class="counts" aria-label="By ${name}"><ul><li class="small">${name}</li>${items}</ul></nav>`
    }),
  )
  const since = query['since']
    ? link('/records', { ...kept, since: '' }, `since ${query['since'].slice(0, 10)} ×`, undefined, true)
    : ''
  return html`<div class="tools filters"><nav class="counts" aria-label="By state"><ul>${states}${since}</ul></nav>${facets}</div>`
}

function link(path: string, query: Query, label: string, number: number | undefined, isCurrent: boolean): Markup {
  return html`<li><a href="${addressOf(path, query)}" ${isCurrent ? html`aria-current="true"` : ''}>${isolated(label, 'beginning')}${number === undefined ? '' : html` <b>${number.toLocaleString('en')}</b>`}</a></li>`
}

function recordTable(records: readonly LedgerRecord[], { path, query }: ListRequest, now: number): Markup {
  const { before: _before, ...others } = query
  const sorted = query['status'] === 'expiring' ? 'expiry' : query['sort']
  const heading = (name: string, label: string, order: string) => {
    const state = sorted === name ? html`aria-sort="${order}"` : ''
    return html`<th scope="col" ${state}><a href="${addressOf(path, { ...others, sort: name })}">${label}</a></th>`
  }
  const rows = records.map((record) => {
    const { reference, input, sentAt, campaign } = record
    const [expiresAt, result] = [expiryOf(record), resultOf(record)]
    return html`<tr>
<td class="who"><a href="/records/${encodeURIComponent(reference)}">${person(input.candidate, 'beginning')}</a></td>
<td>${isolated(titleOf(record), 'beginning')}${campaign === undefined ? '' : html`<p class="small">${isolated(campaign, 'beginning')}</p>`}</td>
<td>${badge(stateOf(record, now))}</td>
<td>${result === undefined ? '' : badge(result)}</td>
<td data-label="Sent">${time(sentAt)}</td>
<td data-label="${expiresAt === undefined ? '' : 'Expires'}">${expiresAt === undefined ? '' : time(expiresAt)}</td>
</tr>`
  })
  return table(
    [
      'Candidate',
      'Quiz or package',
      'State',
      'Result',
      heading('sent', 'Sent', 'descending'),
      heading('expiry', 'Expires', 'ascending'),
    ],
    rows,
  )
}

/** All records that the address asks for, as `certify invites list --csv` prints them. */
export async function csvOf(studio: Studio, query: Query, response: ServerResponse): Promise<void> {
  await sendCsv(response, 'records.csv', INVITE_CSV_HEADER, recordsOf(studio, query)(), (record) =>
    inviteRowsOf(record, false).map(inviteCsvLine),
  )
}
