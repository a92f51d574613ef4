import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import { type ListRequest, ROWS } from '../../mock-server/pages/kit/lists.ts'
import {
  action,
  badge,
  count,
  empty,
  isolated,
  type Markup,
  person,
  section,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import { type LedgerRecord, openDecisions } from '../../src/ledger/index.ts'
import { pageOf, referenceOf, type Studio } from './studio.ts'
import { lossText, questionOf, scopeOf, settledText, titleOf } from './words.ts'

/** The creates whose outcome is unknown, and the last decisions. */
export async function decisionsView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { ledger, account } = studio
  const filter = { ...scopeOf(account), state: 'unknown' } as const
  const { rows: records, links } = await pageOf(request, referenceOf, ledger.find, (page) =>
    ledger.list({ ...filter, ...page }),
  )
  const total = await ledger.count(filter)
  const latest: LedgerRecord[] = []
  for await (const record of ledger.list({ ...scopeOf(account), orderBy: 'decided', limit: ROWS })) latest.push(record)
  const body =
    records.length === 0
      ? empty('Nothing is unknown: each create has ended, and its outcome is recorded.')
      : html`<p>A response was lost, so an invite may or may not exist. Until somebody finds out, its candidate is not invited
again.</p><ul class="entries">${records.map(unknownRecord)}</ul>${links}`
  return html`${section({ id: 'decisions', title: 'Needs a decision', summary: count(total, 'record'), parts: ['ledger'], body })}
${section({
  id: 'settled',
  title: 'Decided',
  summary: 'the last decisions',
  parts: ['ledger'],
  body:
    latest.length === 0
      ? empty('Decisions appear here, and can be undone.')
      : html`<ul class="entries">${latest.map(settledRecord)}</ul>`,
})}`
}

function unknownRecord(record: LedgerRecord): Markup {
  const { reference, input, sentAt, code } = record
  return html`<li id="unknown-${idOf(reference)}" class="decision"><div>
<p>${person(input.candidate)}</p>
<p>${isolated(titleOf(record))} · sent ${time(sentAt)}</p>
<p class="small">${lossText(record)} ${code === undefined ? '' : badge('code', code)}</p>
<p class="small">Reference <a href="/records/${encodeURIComponent(reference)}"><code>${isolated(reference)}</code></a></p></div>
<div class="buttons">${decisionForms(record)}</div></li>`
}

function settledRecord(record: LedgerRecord): Markup {
  const { reference, input } = record
  return html`<li id="settled-${idOf(reference)}" class="decision"><div><p>${person(input.candidate)} · ${isolated(titleOf(record))}
${badge(record.state)}</p><p class="small">${isolated(settledText(record))}</p></div>
<div class="buttons">${undoForm(record)}<a class="button quiet" href="/records/${encodeURIComponent(reference)}">Record</a></div></li>`
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
  })
}

/** The answers that a record is open to: all of them while it is unknown, and later corrections. */
export function decisionForms(record: LedgerRecord): Markup {
  const { created, notCreated } = openDecisions(record)
  return html`${record.state === 'unknown' ? askForm(record) : ''}${notCreated ? decisionForm(record, 'not-created') : ''}${
    created ? decisionForm(record, 'created') : ''
  }`
}

const DECISIONS = {
  created: {
    label: 'It exists',
    about: 'The candidate is not invited again.',
    done: 'Recorded: the invite exists',
    look: 'primary',
  },
  'not-created': {
    label: 'It does not exist',
    about: 'The candidate can then be invited again. If the invite does exist, they get two.',
    done: 'Recorded: the invite does not exist',
    look: '',
  },
} as const

function decisionForm(
  { reference, sentAt, state, input, packageId }: LedgerRecord,
  decision: keyof typeof DECISIONS,
): Markup {
  const { label, about, done, look } = DECISIONS[decision]
  const id = `${decision}-${idOf(reference)}`
  const which = packageId === undefined ? 'Id and link of the invite' : 'Ids and links of the invites'
  return html`<button type="button" id="${id}" class="${look}" popovertarget="${id}-form" aria-label="${label}: ${input.candidate.email}">${label}…</button>
<div class="question" popover id="${id}-form" role="dialog" aria-label="${label}: ${input.candidate.email}">
<form class="fields" method="dialog" data-api="POST /resolve" data-body="${JSON.stringify({ reference, of: sentAt, state, decision })}" data-done="${done}">
<p><b>${label}.</b> ${person(input.candidate)}</p><p>${about}</p>
${decision === 'created' ? html`<label>${which}, as far as you have them<input name="invites" autocomplete="off" maxlength="1000" autofocus></label>` : ''}
<label>How you know, for the history<input name="note" autocomplete="off" maxlength="1000" ${decision === 'created' ? '' : html`autofocus`}></label>
<div class="buttons"><button class="primary">${label}</button>
<button type="button" class="quiet" popovertarget="${id}-form" popovertargetaction="hide">Cancel</button></div></form></div>`
}

function askForm(record: LedgerRecord): Markup {
  const { reference, input } = record
  const id = `ask-${idOf(reference)}`
  return html`<button type="button" id="${id}" class="quiet" popovertarget="${id}-form" aria-label="Ask the candidate: ${input.candidate.email}">Ask the candidate…</button>
<div class="question" popover id="${id}-form" role="dialog" aria-label="Ask the candidate: ${input.candidate.email}">
<div class="fields"><p><b>Ask the candidate.</b> The studio sends nothing: copy the text into your own e-mail.</p>
<p>To ${isolated(input.candidate.email)}</p>
<label>Text<textarea id="${id}-text" rows="12" cols="60">${questionOf(record)}</textarea></label>
<div class="buttons"><button type="button" class="primary" data-copy-field="${id}-text">Copy text</button>
<button type="button" class="quiet" popovertarget="${id}-form" popovertargetaction="hide">Close</button></div></div></div>`
}

/* References may have any characters. */
function idOf(reference: string): string {
  return createHash('sha256').update(reference).digest('hex').slice(0, 16)
}
