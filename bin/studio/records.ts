import { html } from 'hono/html'
import { countedLink, linkList, listAddress, type ListRequest, statusLinks } from '../../mock-server/pages/kit/lists.ts'
import { badge, isolated, type Markup, person, table, time } from '../../mock-server/pages/kit/markup.ts'
import { refuse } from '../../mock-server/control/control-errors.ts'
import type { LedgerFilter, LedgerGroup, LedgerRecord } from '../../src/ledger/index.ts'
import { INVITE_CSV_HEADER, inviteCsvLine, inviteRowsOf } from '../ledger/invite-row.ts'
import { type Grouping, GROUPINGS, talliesOf, titled } from './groups.ts'
import { csvResponse, listView } from './list.ts'
import { expiryOf, FILTERS, isShown, resultOf, stateOf, STATUSES, sumOf } from './status.ts'
import { nameOf, scopeOf, SOON_MS, type Studio } from './studio.ts'
import { titleOf } from './words.ts'

type Query = ListRequest['query']

/** The records that an address asks for: what is searched for, and chosen by links. */
export async function recordsView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { ledger, now } = studio
  const { q = '', ...chosen } = request.query
  const { status = '' } = chosen
  const groups = await ledger.progress(SOON_MS, searchOf(studio, request.query))
  const own = groups.filter((group) => isChosen(group, chosen))
  const found = sumOf(own, status)
  const isAll = Object.values(request.query).every((value) => value === '')
  return listView(studio, request, {
    id: 'records',
    title: status === 'expiring' ? 'Expire within 3 days' : 'Records',
    noun: ['record', 'records'],
    found,
    all: q === '' ? found : await ledger.count(filterOf(studio, chosen)),
    filters: html`<div class="filters">${statusFilter(request, groups)}${await Promise.all(
      GROUPINGS.map((grouping) => groupFilter(studio, request, groups, grouping)),
    )}</div>`,
    none: isAll ? `${nameOf(ledger)} has no records yet.` : 'No record is like that.',
    rows: recordsOf(studio, request.query),
    show: (records) => recordTable(records, request, now()),
    csv: '/records.csv',
  })
}

/* The account, the search and the time: the rest is counted in groups. */
function searchOf(studio: Studio, query: Query): LedgerFilter {
  const { since } = query
  if (since !== undefined && Number.isNaN(Date.parse(since))) {
    refuse('BAD_REQUEST', 'The time in the address is none.')
  }
  return { ...scopeOf(studio, query), ...(since !== undefined && { since }) }
}

function isChosen(group: LedgerGroup, query: Query): boolean {
  return GROUPINGS.every(({ by, valuesOf }) => !query[by] || valuesOf(group).includes(query[by]))
}

/* What is chosen, whatever its status. */
function filterOf(studio: Studio, query: Query): LedgerFilter {
  const chosen = GROUPINGS.flatMap(({ by, field }) => (query[by] ? [[field, query[by]] as const] : []))
  return { ...searchOf(studio, query), ...Object.fromEntries(chosen) }
}

/* The records that an address asks for, a page of them or all. */
function recordsOf(studio: Studio, query: Query) {
  const { status = '', sort } = query
  const filter = { ...filterOf(studio, query), ...(Object.hasOwn(FILTERS, status) ? FILTERS[status] : {}) }
  return async function* matching({ limit, before }: Pick<LedgerFilter, 'limit' | 'before'> = {}) {
    /* Of those that the filter finds, not all are shown. */
    let left = limit ?? Infinity
    const page = { ...filter, ...(before && { before }), ...(limit && status !== 'failed' && { limit }) }
    const order: Pick<LedgerFilter, 'orderBy' | 'expiringWithinMs'> =
      status === 'expiring'
        ? { expiringWithinMs: SOON_MS }
        : { orderBy: sort === 'expiry' || sort === 'sent' ? sort : undefined }
    for await (const record of studio.ledger.list({ ...page, ...order })) {
      if (!isShown(status, record)) continue
      yield record
      left -= 1
      if (left === 0) return
    }
  }
}

/* How many records have each status, and the time from which on they are shown, which leads back. */
function statusFilter(request: ListRequest, groups: readonly LedgerGroup[]): readonly Markup[] {
  const { status = '', since = '' } = request.query
  const chosen = groups.filter((group) => isChosen(group, request.query))
  const statuses = [...STATUSES, ...(status === 'expiring' ? [status] : [])]
  const counts = new Map(statuses.map((each) => [each, sumOf(chosen, each)]))
  for (const [each, number] of counts) if (number === 0 && each !== status) counts.delete(each)
  const back = countedLink(listAddress(request, { since: '' }), `since ${since.slice(0, 10)} ×`, undefined, true)
  return [statusLinks(request, counts, sumOf(chosen, '')), since === '' ? html`` : linkList('time', [back])]
}

const MAX_LINKS = 8

/* How many records have each campaign, quiz or package, each a link to them. The chosen one leads back. */
async function groupFilter(
  studio: Studio,
  request: ListRequest,
  groups: readonly LedgerGroup[],
  grouping: Grouping,
): Promise<Markup | ''> {
  const { by } = grouping
  const { [by]: chosen = '', status = '' } = request.query
  const among = groups.filter((group) => isChosen(group, { ...request.query, [by]: '' }))
  const found = talliesOf(among, grouping)
  if (found.length < 2 && chosen === '') return ''
  const shown = chosen === '' ? found.slice(0, MAX_LINKS) : found.filter(([value]) => value === chosen)
  const links = (await titled(studio, grouping, shown))
    .toSorted((one, other) => one.title.localeCompare(other.title))
    .flatMap(({ value, groups: own, title }) => {
      const number = sumOf(own, status)
      if (number === 0 && chosen === '') return []
      const to = listAddress(request, { [by]: chosen === '' ? value : '' })
      const label = isolated(chosen === '' ? title : `${title} ×`, 'beginning')
      return [countedLink(to, label, number, chosen !== '')]
    })
  return linkList(by, links, html`<li class="small">${by}</li>`)
}

function recordTable(records: readonly LedgerRecord[], request: ListRequest, now: number): Markup {
  const sorted = request.query['status'] === 'expiring' ? 'expiry' : request.query['sort']
  const heading = (name: string, label: string, order: string) => {
    const state = sorted === name ? html`aria-sort="${order}"` : ''
    return html`<th scope="col" ${state}><a href="${listAddress(request, { sort: name })}">${label}</a></th>`
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
  const [sent, expires] = [heading('sent', 'Sent', 'descending'), heading('expiry', 'Expires', 'ascending')]
  return table(['Candidate', 'Quiz or package', 'State', 'Result', sent, expires], rows)
}

/** All records that the address asks for, as `certify invites list --csv` prints them. */
export function recordsCsv(studio: Studio, query: Query): Response {
  return csvResponse(INVITE_CSV_HEADER, recordsOf(studio, query)(), (record) =>
    inviteRowsOf(record, false).map(inviteCsvLine),
  )
}
