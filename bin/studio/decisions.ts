import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import {
  action,
  copyButton,
  count,
  empty,
  isolated,
  type Markup,
  person,
  section,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import { type LedgerRecord, openDecisions } from '../../src/ledger/index.ts'
import { foundText, nothingFound, pageOf, referenceOf, scopeOf, searchForm, type Studio } from './studio.ts'
import { lossText, questionOf, titleOf } from './words.ts'

/** The creates whose outcome is unknown, a line each. What was lost together stands together. */
export async function decisionsView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { ledger } = studio
  const filter = { ...scopeOf(studio, request.query), state: 'unknown' } as const
  const [{ rows, links }, found, all] = await Promise.all([
    pageOf(request, referenceOf, ledger.find, (page) => ledger.list({ ...filter, orderBy: 'sent', ...page })),
    ledger.count(filter),
    ledger.count({ ...scopeOf(studio), state: 'unknown' }),
  ])
  const none = all === 0
  const body = none
    ? empty('Nothing needs a decision: every create has a known outcome.')
    : rows.length === 0
      ? nothingFound(studio, request.query, count(all, 'record that needs a decision', 'records that need a decision'))
      : html`<p>A response was lost, so an invite may or may not exist. Until somebody finds out, its candidate is not invited
again.</p><p class="small keys"><kbd>j</kbd> <kbd>k</kbd> move · <kbd>e</kbd> exists · <kbd>n</kbd> does not exist ·
<kbd>a</kbd> copies a question to the candidate · <kbd>x</kbd> selects · <kbd>u</kbd> undoes</p>
<div class="buttons selected"><span><b data-selected>0</b> selected</span>${answerForms({ id: 'selected', about: 'selected' })}</div>
${incidents(rows).map(incident)}${links}`
  return html`${searchForm(request)}${section({
    id: 'decisions',
    title: 'Needs a decision',
    summary: foundText(request.query, found, all),
    parts: ['ledger'],
    body,
  })}`
}

const TOGETHER_MS = 60_000

/* What one campaign, or single creates, lost for one reason within a minute of each other. */
function incidents(records: readonly LedgerRecord[]): readonly (readonly LedgerRecord[])[] {
  const found: LedgerRecord[][] = []
  for (const record of records) {
    const last = found.findLast(([one]) => one?.campaign === record.campaign && one?.code === record.code)
    const before = last?.at(-1)
    const isTogether = before && Date.parse(before.sentAt) - Date.parse(record.sentAt) <= TOGETHER_MS
    if (isTogether) last?.push(record)
    else found.push([record])
  }
  return found
}

function incident(records: readonly LedgerRecord[]): Markup {
  const [record] = records
  if (record === undefined) return html``
  const { campaign, sentAt, reference } = record
  const isOne = records.length === 1
  const from = campaign === undefined ? '' : html`${isOne ? '' : ' of '}${isolated(campaign)}, `
  const head = html`<p class="small incident">${isOne ? '' : html`<label><input type="checkbox" data-all aria-label="Select these ${records.length}"> <b>${records.length}</b>`}${from}
${time(sentAt)}: ${lossText(record)}${isOne ? '' : html`</label>`}</p>`
  return html`<div class="group" id="group-${idOf(reference)}">${head}<ul class="entries">${records.map(decisionRow)}</ul></div>`
}

function decisionRow(record: LedgerRecord): Markup {
  const { reference, input, sentAt } = record
  const { email } = input.candidate
  return html`<li id="unknown-${idOf(reference)}" class="decision" data-create="${createOf(record)}">
<input type="checkbox" aria-label="Select ${email}">
<a class="name" href="/records/${encodeURIComponent(reference)}">${person(input.candidate, 'beginning')}</a>
<span>${isolated(titleOf(record), 'beginning')}</span><span class="small">${time(sentAt)}</span>
<span class="buttons">${decisionForms(record)}</span></li>`
}

/* What an answer is about: this create, as the page shows it. */
function createOf({ reference, sentAt, state, input }: LedgerRecord): string {
  return JSON.stringify({ reference, of: sentAt, state, email: input.candidate.email })
}

/** The answers that a record is open to: all of them while it is unknown, and later corrections. */
export function decisionForms(record: LedgerRecord): Markup {
  const { created, notCreated } = openDecisions(record)
  const { email } = record.input.candidate
  return html`${record.state === 'unknown' ? copyButton(questionOf(record), 'Copy question', email) : ''}${answerForms({
    id: idOf(record.reference),
    about: email,
    record,
    answers: [...(created ? (['created'] as const) : []), ...(notCreated ? (['not-created'] as const) : [])],
  })}`
}

const ANSWERS = {
  created: { label: 'It exists', about: 'The candidate is not invited again.' },
  'not-created': {
    label: 'It does not exist',
    about: 'The candidate can then be invited again. If the invite does exist, they get two.',
  },
} as const

/* Neither looks recommended. Without a record, it is about all that are selected. */
function answerForms({
  id: own,
  about: whom,
  record,
  answers = ['created', 'not-created'],
}: {
  readonly id: string
  readonly about: string
  readonly record?: LedgerRecord
  readonly answers?: readonly (keyof typeof ANSWERS)[]
}): readonly Markup[] {
  return answers.map((decision) => {
    const { label, about } = ANSWERS[decision]
    const id = `${decision}-${own}`
    const which = record?.packageId === undefined ? 'Id and link of the invite' : 'Ids and links of the invites'
    const asksWhich = decision === 'created' && record !== undefined
    return html`<button type="button" id="${id}" data-answer="${decision}" popovertarget="${id}-form" aria-label="${label}: ${whom}">${label}…</button>
<div class="question" popover id="${id}-form" role="dialog" aria-label="${label}: ${whom}">
<form class="fields" method="dialog" data-decision="${decision}" data-done="${label}" ${record === undefined ? '' : html`data-create="${createOf(record)}"`}>
<p><b>${label}.</b> ${record === undefined ? html`<b data-selected>0</b> selected` : person(record.input.candidate)}</p><p>${about}</p>
${asksWhich ? html`<label>${which}, as far as you have them<input name="invites" autocomplete="off" maxlength="1000" autofocus></label>` : ''}
<label>How you know, for the history<input name="note" autocomplete="off" maxlength="1000" ${asksWhich ? '' : html`autofocus`}></label>
<div class="buttons"><button>${label}</button>
<button type="button" class="quiet" popovertarget="${id}-form" popovertargetaction="hide">Cancel</button></div></form></div>`
  })
}

/** Takes a decision back, if nothing has happened since. */
export function undoForm(record: LedgerRecord): Markup | '' {
  const { reference, state, sentAt, input } = record
  if (!openDecisions(record).undo) return ''
  return action('POST /resolve', 'Undo', {
    id: `undo-${idOf(reference)}`,
    body: { reference, of: sentAt, state, decision: 'undo' },
    about: `the decision about ${input.candidate.email}`,
    done: 'Undone: it needs a decision again',
    look: 'quiet',
  })
}

/* References may have any characters. */
function idOf(reference: string): string {
  return createHash('sha256').update(reference).digest('hex').slice(0, 16)
}
