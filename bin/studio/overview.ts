import { html } from 'hono/html'
import { count, empty, isolated, type Markup, section } from '../../mock-server/pages/kit/markup.ts'
import type { LedgerGroup, LedgerRecord } from '../../src/ledger/index.ts'
import { formatNumber } from '../terminal/text.ts'
import { SOON_MS, type Studio } from './studio.ts'
import { scopeOf, titleOf } from './words.ts'

const MOST_BARS = 12

/** The parts of a bar, in their order. */
const PARTS = ['passed', 'failed', 'open', 'expired', 'unknown'] as const
type Part = (typeof PARTS)[number]
type Tally = Record<Part, number> & { all: number; readonly reference: string }

const isOpen = ({ state, results }: LedgerGroup) => state === 'created' && results.length === 0

/** How far the invites are: five counters, and bars by campaign, package and quiz. */
export async function overviewView({ ledger, account }: Studio): Promise<Markup> {
  const groups = await ledger.progress(SOON_MS, scopeOf(account))
  const sum = (of: (group: LedgerGroup) => number) => groups.reduce((total, group) => total + of(group), 0)
  const tiles = [
    ['/records', sum(({ records }) => records), 'create', 'creates'],
    ['/records?status=created', sum(({ state, records }) => (state === 'created' ? records : 0)), 'invited', 'invited'],
    [
      '/records?status=with-result',
      sum(({ results, records }) => (results.length > 0 ? records : 0)),
      'with a result',
      'with a result',
    ],
    [
      '/records?status=expiring',
      sum((group) => (isOpen(group) ? group.expiring : 0)),
      'expires within 3 days',
      'expire within 3 days',
    ],
    [
      '/decisions',
      sum(({ state, records }) => (state === 'unknown' ? records : 0)),
      'needs a decision',
      'need a decision',
    ],
  ] as const
  const counters = html`<div class="tiles">${tiles.map(
    ([
      to,
      number,
      one,
      many,
    ]) => html`<a class="tile${to === '/decisions' && number > 0 ? ' alarm' : ''}" href="${to}"><b>${formatNumber(number)}</b>
${number === 1 ? one : many}</a>`,
  )}</div>`
  const summary = section({ id: 'counters', title: 'Overview', parts: ['ledger'], body: counters })
  if (groups.length === 0)
    return html`${summary}${empty('The ledger has no records yet. Each create appears here, whoever sends it.')}`
  const find = async ({ reference }: Tally) => ledger.find(reference)
  const bars = await Promise.all([
    barsOf(
      'Campaigns',
      'campaign',
      tallies(groups, ({ campaign }) => (campaign === undefined ? [] : [campaign])),
    ),
    barsOf(
      'Packages',
      'package',
      tallies(groups, ({ packageId }) => (packageId === undefined ? [] : [packageId])),
      find,
    ),
    barsOf(
      'Quizzes',
      'quiz',
      tallies(groups, ({ packageId, quizIds }) => (packageId === undefined ? quizIds : [])),
      find,
    ),
  ])
  return html`${summary}${bars}`
}

/* The groups that have created something or may have, by their names. The most records come first. */
function tallies(groups: readonly LedgerGroup[], namesOf: (group: LedgerGroup) => readonly string[]) {
  const found = new Map<string, Tally>()
  for (const group of groups) {
    for (const name of namesOf(group)) {
      const none = { passed: 0, failed: 0, open: 0, expired: 0, unknown: 0, all: 0, reference: group.reference }
      const tally = found.get(name) ?? none
      found.set(name, tally)
      for (const [part, records] of partsOf(group)) {
        tally[part] += records
        tally.all += records
      }
    }
  }
  return [...found].filter(([, { all }]) => all > 0).toSorted(([, one], [, other]) => other.all - one.all)
}

function partsOf({ state, results, records, expired }: LedgerGroup): readonly (readonly [Part, number])[] {
  if (state === 'unknown') return [['unknown', records]]
  if (state !== 'created') return []
  /* Somebody who passed a retake has passed. */
  if (results.length > 0) return [[results.some((each) => /^passed$/i.test(each)) ? 'passed' : 'failed', records]]
  return [
    ['open', records - expired],
    ['expired', expired],
  ]
}

async function barsOf(
  title: string,
  id: string,
  found: readonly (readonly [string, Tally])[],
  find?: (tally: Tally) => Promise<LedgerRecord | undefined>,
): Promise<Markup | ''> {
  if (found.length === 0) return ''
  const longest = found[0]?.[1].all ?? 1
  const rows = found.slice(0, MOST_BARS).map(async ([name, tally]) => {
    const record = await find?.(tally)
    const label = record === undefined ? name : titleOf(record)
    return html`<li>${isolated(label, 'beginning')}${barOf(tally, longest)}<span class="small">${wordsOf(tally)}</span></li>`
  })
  return section({
    id: `by-${id}`,
    title,
    parts: ['ledger'],
    summary: found.length > MOST_BARS ? `the largest ${MOST_BARS} of ${formatNumber(found.length)}` : '',
    actions: html`<span class="legend small" aria-hidden="true">${PARTS.map((part) => html`<span><i class="${part}"></i>${part}</span>`)}</span>`,
    body: html`<ul class="bars">${await Promise.all(rows)}</ul>`,
  })
}

/* A picture of the words beside it. */
function barOf(tally: Tally, longest: number): Markup {
  let from = 0
  const pieces = PARTS.map((part) => {
    const width = (100 * tally[part]) / longest
    from += width
    return width === 0 ? '' : html`<rect class="${part}" x="${from - width}" width="${width}" height="10"></rect>`
  })
  return html`<svg class="bar-chart" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${pieces}</svg>`
}

function wordsOf(tally: Tally): string {
  const parts = PARTS.flatMap((part) => (tally[part] > 0 ? [`${formatNumber(tally[part])} ${part}`] : []))
  return `${count(tally.all, 'invite')}: ${parts.join(', ')}`
}
