import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import { action, copyButton, isolated, type Markup, person, time } from '../../mock-server/pages/kit/markup.ts'
import { type LedgerRecord, openDecisions } from '../../src/ledger/index.ts'
import { listView } from './list.ts'
import { scopeOf, type Studio } from './studio.ts'
import { lossText, questionOf, titleOf } from './words.ts'

/** The creates whose outcome is unknown, a line each. What was lost together stands together. */
export async function decisionsView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { ledger } = studio
  const filterOf = (query?: ListRequest['query']) => ({ ...scopeOf(studio, query), state: 'unknown' as const })
  return listView(studio, request, {
    id: 'decisions',
    title: 'Needs a decision',
    noun: ['unknown create', 'unknown creates'],
    none: 'Nothing needs a decision: every create has a known outcome.',
    found: await ledger.count(filterOf(request.query)),
    all: await ledger.count(filterOf()),
    rows: (page) => ledger.list({ ...filterOf(request.query), orderBy: 'sent', ...page }),
    show: (
      records,
    ) => html`<p>A response was lost, so an invite may or may not exist. Until somebody finds out, its candidate is not invited
again.</p><p class="small">${KEYS.map(([key, does]) => html`<kbd>${key}</kbd> ${does} · `)}<kbd>?</kbd> all keys</p>
<div class="buttons selected"><b data-selected-count>0 selected</b>${answerForm('created')}${answerForm('not-created')}</div>
<table>${incidents(records).map(incident)}</table>`,
  })
}

/** What keys do in the list. */
export const KEYS = [
  ['j', 'next'],
  ['k', 'back'],
  ['e', 'it exists'],
  ['n', 'it does not exist'],
  ['a', 'copy a question to the candidate'],
  ['x', 'select'],
  ['u', 'undo'],
] as const

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
  const box = html`<input type="checkbox" data-select-all aria-label="Select these ${records.length}">`
  return html`<tbody class="group" id="group-${idOf(reference)}">
<tr><td class="select">${isOne ? '' : box}</td><th class="incident" colspan="4" scope="rowgroup">${isOne ? '' : html`<b>${records.length}</b>`}${from}
${time(sentAt)}: ${lossText(record)}</th></tr>${records.map(decisionRow)}</tbody>`
}

function decisionRow(record: LedgerRecord): Markup {
  const { reference, input, sentAt } = record
  return html`<tr id="unknown-${idOf(reference)}" class="decision" data-create="${JSON.stringify(createOf(record))}">
<td class="select"><input type="checkbox" data-select aria-label="Select ${input.candidate.email}"></td>
<td class="who"><a class="name" href="/records/${encodeURIComponent(reference)}">${person(input.candidate, 'beginning')}</a></td>
<td>${isolated(titleOf(record), 'beginning')}</td><td class="small">${time(sentAt)}</td>
<td class="do">${decisionForms(record)}</td></tr>`
}

/** What an answer is about: this create, as the page shows it. */
export function createOf({ reference, sentAt, state, input }: LedgerRecord) {
  return { reference, of: sentAt, state, email: input.candidate.email }
}

/** The answers that a record is open to: all of them while it is unknown, and later corrections. */
export function decisionForms(record: LedgerRecord): Markup {
  const { created, notCreated } = openDecisions(record)
  const copy =
    record.state === 'unknown' && copyButton(questionOf(record), 'Copy question', record.input.candidate.email)
  return html`${copy || ''} ${created ? answerForm('created', record) : ''} ${notCreated ? answerForm('not-created', record) : ''}`
}

const ANSWERS = {
  created: { label: 'It exists', about: 'The candidate is not invited again.' },
  'not-created': {
    label: 'It does not exist',
    about: 'The candidate can then be invited again. If the invite does exist, they get two.',
  },
} as const

/* Neither looks recommended. Without a record, it is about all that are selected. */
function answerForm(decision: keyof typeof ANSWERS, record?: LedgerRecord): Markup {
  const { label, about } = ANSWERS[decision]
  const id = `${decision}-${record === undefined ? 'selected' : idOf(record.reference)}`
  const name = `${label}: ${record?.input.candidate.email ?? 'selected'}`
  const whom = record === undefined ? html`<b data-selected-count>0 selected</b>` : person(record.input.candidate)
  const which = record?.packageId === undefined ? 'Id and link of the invite' : 'Ids and links of the invites'
  const asksWhich = decision === 'created' && record !== undefined
  return html`<button type="button" id="${id}" data-answer="${decision}" popovertarget="${id}-form" aria-label="${name}">${label}…</button>
<div class="question" popover id="${id}-form" role="dialog" aria-label="${name}">
<form class="fields" method="dialog" data-decision="${decision}" data-done="${label}">
<p><b>${label}.</b> ${whom}</p><p>${about}</p>
${asksWhich ? html`<label>${which}, as far as you have them<input name="invites" autocomplete="off" maxlength="1000" autofocus></label>` : ''}
<label>How you know, for the history<input name="note" autocomplete="off" maxlength="1000" autofocus></label>
<div class="buttons"><button>${label}</button>
<button type="button" class="quiet" popovertarget="${id}-form" popovertargetaction="hide">Cancel</button></div></form></div>`
}

/** Takes a decision back, if nothing has happened since. */
export function undoForm(record: LedgerRecord): Markup | '' {
  if (!openDecisions(record).undo) return ''
  return action('POST /resolve', 'Undo', {
    id: `undo-${idOf(record.reference)}`,
    body: { ...createOf(record), decision: 'undo' },
    about: `the decision about ${record.input.candidate.email}`,
    done: 'Undone: it needs a decision again',
    look: 'quiet',
  })
}

/* References may have any characters. */
function idOf(reference: string): string {
  return createHash('sha256').update(reference).digest('hex').slice(0, 16)
}
