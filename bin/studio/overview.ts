import { html } from 'hono/html'
import { addressOf, countedLink, type ListRequest } from '../../mock-server/pages/kit/lists.ts'
import {
  count,
  empty,
  isolated,
  type Markup,
  section,
  statusName,
  table,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { LedgerGroup } from '../../src/ledger/index.ts'
import { formatAge, formatNumber } from '../terminal/text.ts'
import { GROUPINGS, talliesOf, titled } from './groups.ts'
import { recordSearch } from './list.ts'
import { type Status, STATUSES, sumOf } from './status.ts'
import { nameOf, newestRecord, scopeOf, SOON_MS, type Studio } from './studio.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_ROWS = 12

/** A list of work: what needs somebody's attention, and how far each campaign, package and quiz is. */
export async function overviewView(studio: Studio, { path, query }: ListRequest): Promise<Markup> {
  const groups = await studio.ledger.progress(SOON_MS, scopeOf(studio))
  const total = sumOf(groups, '')
  const summary = section({
    id: 'attention',
    title: 'Needs attention',
    parts: ['ledger'],
    actions: html`<a href="/records">${count(total, 'record')}</a>`,
    body: await attention(studio, groups),
  })
  const most = query['all'] === undefined ? MAX_ROWS : 200
  const sections = GROUPINGS.map(async (grouping) => {
    const { by, title } = grouping
    const all = talliesOf(groups, grouping)
    if (all.length === 0) return ''
    const shown = await titled(studio, grouping, all.slice(0, most))
    const rows = await Promise.all(shown.map((row) => progressRow(studio, by, row)))
    return section({
      id: `by-${by}`,
      title,
      parts: ['ledger'],
      actions: all.length > shown.length ? html`<a href="${path}?all=1">all ${formatNumber(all.length)}</a>` : html``,
      body: table(['Name', ...(by === 'campaign' ? ['Sent'] : []), 'Finished', 'Status'], rows),
    })
  })
  const none = empty(`${nameOf(studio.ledger)} has no records yet. Each create appears here, whoever sends it.`)
  return html`${recordSearch()}${summary}${total === 0 ? none : await Promise.all(sections)}`
}

/* A line for each kind of work, with how much there is. */
async function attention(studio: Studio, groups: readonly LedgerGroup[]): Promise<Markup> {
  const { ledger, now } = studio
  const today = new Date(now()).setUTCHours(0, 0, 0, 0)
  const since = new Date(today - 7 * DAY_MS).toISOString()
  const unknown = sumOf(groups, 'unknown')
  const [oldest, refused, events] = await Promise.all([
    oldestUnknown(studio, unknown),
    ledger.count({ ...scopeOf(studio), state: 'refused', since }),
    ledger.inbox.count(scopeOf(studio)),
  ])
  const age = oldest === undefined ? '' : `; the oldest was sent ${formatAge(now() - Date.parse(oldest))}`
  const ofWeek = addressOf('/records', { status: 'refused', since })
  const soon = 'expires within 3 days, without a result'
  const lines = [
    ['/decisions', unknown, 'needs a decision', 'need a decision', `the invite may or may not exist${age}`],
    [ofWeek, refused, 'was refused', 'were refused', 'by the service, in the last 7 days'],
    ['/callbacks?status=failed', events.failed, 'callback failed', 'callbacks failed', 'each can be replayed'],
    ['/callbacks?status=waiting', events.waiting, 'callback waits', 'callbacks wait', 'not handled yet'],
    ['/records?status=expiring', sumOf(groups, 'expiring'), soon, soon.replace('expires', 'expire'), ''],
  ] as const
  const shown = lines.filter(([, number]) => number > 0)
  if (shown.length === 0) return empty('Nothing needs attention.')
  return html`<ul class="entries">${shown.map(
    ([to, number, one, many, about]) =>
      html`<li><a href="${to}"><b>${formatNumber(number)}</b> ${number === 1 ? one : many}</a> <span class="small">${about}</span></li>`,
  )}</ul>`
}

/* They are listed newest first. With more of them, nobody asks which is the oldest. */
async function oldestUnknown(studio: Studio, unknown: number): Promise<string | undefined> {
  if (unknown === 0 || unknown > 1000) return undefined
  let oldest: string | undefined
  for await (const { sentAt } of studio.ledger.list({ ...scopeOf(studio), state: 'unknown', orderBy: 'sent' }))
    oldest = sentAt
  return oldest
}

async function progressRow(
  studio: Studio,
  by: string,
  { value, groups, title }: { readonly value: string; readonly groups: readonly LedgerGroup[]; readonly title: string },
): Promise<Markup> {
  const [all, finished] = [sumOf(groups, ''), sumOf(groups, 'passed') + sumOf(groups, 'failed')]
  const counts = STATUSES.map((status) => [status, sumOf(groups, status)] as const).filter(([, number]) => number > 0)
  const newest = by === 'campaign' ? await newestRecord(studio, { campaign: value }) : undefined
  const links = counts.map(([status, number]) => {
    const label = html`<i class="${status}"></i>${formatNumber(number)} ${statusName(status)}`
    return countedLink(addressOf('/records', { [by]: value, status }), label, undefined, false)
  })
  return html`<tr>
<td class="who"><a href="${addressOf('/records', { [by]: value })}"><b>${isolated(title, 'beginning')}</b></a></td>
${by === 'campaign' ? html`<td>${newest && time(newest.sentAt)}</td>` : ''}
<td>${formatNumber(finished)} of ${formatNumber(all)} finished, <b>${Math.floor((100 * finished) / all)} %</b></td>
<td class="progress">${barOf(counts, all)}<div class="counts"><ul>${links}</ul></div></td></tr>`
}

/* A picture of the numbers below it. */
function barOf(counts: readonly (readonly [Status, number])[], all: number): Markup {
  let from = 0
  const pieces = counts.map(([status, number]) => {
    const width = (100 * number) / all
    from += width
    return html`<rect class="${status}" x="${from - width}" width="${width}" height="10"></rect>`
  })
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${pieces}</svg>`
}
