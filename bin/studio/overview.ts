import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import { count, empty, isolated, type Markup, section, time } from '../../mock-server/pages/kit/markup.ts'
import type { LedgerGroup, LedgerRecord } from '../../src/ledger/index.ts'
import { formatNumber } from '../terminal/text.ts'
import { GROUPINGS, type Status, STATUSES, sumOf } from './status.ts'
import { addressOf, nameOf, referenceOf, scopeOf, searchForm, SOON_MS, type Studio } from './studio.ts'
import { titleOf } from './words.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_ROWS = 12

/** A list of work: what needs somebody's attention, and how far each campaign, package and quiz is. */
export async function overviewView(studio: Studio, { path, query }: ListRequest): Promise<Markup> {
  const { ledger } = studio
  const groups = await ledger.progress(SOON_MS, scopeOf(studio))
  const total = sumOf(groups, '')
  const summary = section({
    id: 'attention',
    title: 'Needs attention',
    parts: ['ledger'],
    actions: html`<a href="/records">${count(total, 'record')}</a>`,
    body: await attention(studio, groups),
  })
  const find = searchForm({ path: '/records', prefix: '', query: {} })
  if (total === 0)
    return html`${find}${summary}${empty(`${nameOf(ledger)} has no records yet. Each create appears here, whoever sends it.`)}`
  const most = query['all'] === undefined ? MAX_ROWS : 200
  const found = GROUPINGS.map(([id, title, of]) => {
    const all = tallies(groups, of)
    return { id, title, all, shown: all.slice(0, most) }
  })
  const titled = found.filter(({ id }) => id !== 'campaign').flatMap(({ shown }) => shown)
  const references = titled.flatMap(([, own]) => own.slice(0, 4).map(referenceOf))
  const records = await recordsBy(studio, references.slice(0, 1000))
  const sections = found.map(async ({ id, title, all, shown }) => {
    if (all.length === 0) return ''
    const rows = shown.map(([name, own]) => progressRow(studio, id, name, own, records))
    const more = html`<a href="${path}?all=1">all ${formatNumber(all.length)}</a>`
    return section({
      id: `by-${id}`,
      title,
      parts: ['ledger'],
      actions: all.length > shown.length ? more : html``,
      body: html`<ul class="bars">${await Promise.all(rows)}</ul>`,
    })
  })
  return html`${find}${summary}${await Promise.all(sections)}`
}

/* A line for each kind of work, with how much there is. */
async function attention(studio: Studio, groups: readonly LedgerGroup[]): Promise<Markup> {
  const { ledger, now } = studio
  const today = new Date(now()).setUTCHours(0, 0, 0, 0)
  const since = new Date(today - 7 * DAY_MS).toISOString()
  const [oldest, refused, events] = await Promise.all([
    oldestUnknown(studio, sumOf(groups, 'unknown')),
    ledger.count({ ...scopeOf(studio), state: 'refused', since }),
    ledger.inbox.count(scopeOf(studio)),
  ])
  const age = oldest === undefined ? '' : `; the oldest is ${ageOf(now() - Date.parse(oldest))} old`
  const soon = 'expires within 3 days, without a result'
  const lines = [
    [
      '/decisions',
      sumOf(groups, 'unknown'),
      'needs a decision',
      'need a decision',
      `whether the invite exists is unknown${age}`,
    ],
    [
      addressOf('/records', { status: 'refused', since }),
      refused,
      'was refused',
      'were refused',
      'by the service, in the last 7 days',
    ],
    [
      '/callbacks?status=failed',
      events.failed,
      'callback failed',
      'callbacks failed',
      'given up; each can be replayed',
    ],
    ['/callbacks?status=waiting', events.waiting, 'callback waits', 'callbacks wait', 'not handled yet'],
    ['/records?status=expiring', sumOf(groups, 'expiring'), soon, soon.replace('expires', 'expire'), ''],
  ] as const
  const shown = lines.filter(([, number]) => number > 0)
  if (shown.length === 0) return empty('Nothing needs attention.')
  return html`<ul class="entries work">${shown.map(
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

function ageOf(ms: number): string {
  if (ms >= DAY_MS) return count(Math.floor(ms / DAY_MS), 'day')
  return ms < 3_600_000 ? 'less than an hour' : count(Math.floor(ms / 3_600_000), 'hour')
}

/** The groups by their names. The most records come first. */
export function tallies(
  groups: readonly LedgerGroup[],
  namesOf: (group: LedgerGroup) => readonly string[],
): readonly (readonly [string, readonly LedgerGroup[]])[] {
  const found = new Map<string, LedgerGroup[]>()
  for (const group of groups) {
    for (const name of namesOf(group)) found.set(name, [...(found.get(name) ?? []), group])
  }
  return [...found].toSorted(([, one], [, other]) => sumOf(other, '') - sumOf(one, ''))
}

/** These records, by their references. */
export async function recordsBy({ ledger }: Studio, references: readonly string[]) {
  const records = new Map<string, LedgerRecord>()
  for await (const record of ledger.list({ references: [...new Set(references)] }))
    records.set(record.reference, record)
  return records
}

/** What a package or a quiz is called: by the first of its records that knows. */
export function titleIn(
  name: string,
  groups: readonly LedgerGroup[],
  records: ReadonlyMap<string, LedgerRecord>,
  isQuiz: boolean,
): string {
  const own = groups.flatMap(({ reference }) => records.get(reference) ?? [])
  if (!isQuiz) return own.map(titleOf).find((title) => title !== name) ?? name
  const skill = own.flatMap(({ invites }) => invites).find(({ quizId, skillName }) => quizId === name && skillName)
  if (skill?.skillName !== undefined)
    return skill.level === undefined ? skill.skillName : `${skill.skillName}, ${skill.level.toLowerCase()}`
  return (
    own
      .filter(({ packageId }) => packageId === undefined)
      .map(titleOf)
      .find((title) => title !== name) ?? name
  )
}

async function progressRow(
  studio: Studio,
  by: string,
  name: string,
  groups: readonly LedgerGroup[],
  records: ReadonlyMap<string, LedgerRecord>,
): Promise<Markup> {
  const [all, finished] = [sumOf(groups, ''), sumOf(groups, 'passed') + sumOf(groups, 'failed')]
  const counts = STATUSES.flatMap((status) => {
    const number = sumOf(groups, status)
    return number === 0 ? [] : [[status, number] as const]
  })
  const label = by === 'campaign' ? name : titleIn(name, groups, records, by === 'quiz')
  let sentAt: string | undefined
  if (by === 'campaign')
    for await (const record of studio.ledger.list({ ...scopeOf(studio), campaign: name, limit: 1 }))
      sentAt = record.sentAt
  return html`<li><a class="row-link" href="${addressOf('/records', { [by]: name })}">${isolated(label, 'beginning')}</a>
<span class="small">${sentAt === undefined ? '' : time(sentAt)}</span>
<span>${formatNumber(finished)} of ${formatNumber(all)} finished, <b>${Math.floor((100 * finished) / all)} %</b></span>${barOf(counts, all)}
<span class="small parts">${counts.map(
    ([status, number]) =>
      html`<a href="${addressOf('/records', { [by]: name, status })}"><i class="${status}"></i>${formatNumber(number)} ${status}</a> `,
  )}</span></li>`
}

/* A picture of the numbers below it. */
function barOf(counts: readonly (readonly [Status, number])[], all: number): Markup {
  let from = 0
  const pieces = counts.map(([status, number]) => {
    const width = (100 * number) / all
    from += width
    return html`<rect class="${status}" x="${from - width}" width="${width}" height="10"></rect>`
  })
  return html`<svg class="bar-chart" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${pieces}</svg>`
}
