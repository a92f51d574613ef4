import { html } from 'hono/html'
import type { MockPart } from '../contract/members.ts'
import type { MockInvite } from '../world/model.ts'

/** A piece of a page. Every value in it is escaped, unless it is a piece itself. */
export type Markup = ReturnType<typeof html>

/** A section that the page fetches again when one of these parts of the mock changes. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly parts: readonly MockPart[]
  /** The count that is announced after a change. */
  readonly summary?: string
  readonly actions?: Markup
  readonly body: Markup
}

export function section({ id, title, parts, summary = '', actions, body }: Section): Markup {
  return html`<section id="${id}" class="card" aria-labelledby="${id}-title" data-parts="${parts.join(' ')}" data-summary="${summary}">
<div class="head"><h2 id="${id}-title">${title}</h2>${summary === '' ? '' : html`<span class="count">${summary}</span>`}<div class="actions">${actions}</div></div>
${body}
</section>`
}

/** A section that never changes. */
export function card(id: string, title: string, body: Markup, look: 'schema' | '' = ''): Markup {
  return html`<section class="card ${look}" aria-labelledby="${id}-title"><div class="head"><h2 id="${id}-title">${title}</h2></div>
${body}</section>`
}

/** A table. The last column holds buttons, and its heading is for screen readers. */
export function table(headings: readonly (string | Markup)[], buttons: string, rows: readonly Markup[]): Markup {
  const cells = headings.map((each) => (typeof each === 'string' ? html`<th scope="col">${each}</th>` : each))
  return html`<div class="scroll"><table>
<thead><tr>${cells}<th scope="col"><span class="hidden">${buttons}</span></th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}

/** The text in place of rows where there are none. */
export function empty(text: string | Markup): Markup {
  return html`<p class="empty">${text}</p>`
}

export function time(iso: string): Markup {
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/** A text of a tester. It may turn the direction of writing, or be long: a list shows its beginning. */
export function foreign(text: string, shown: 'whole' | 'beginning' = 'whole'): Markup {
  return html`<bdi class="${shown}">${text}</bdi>`
}

/** A candidate, by name and address. */
export function person({ name, email }: MockInvite['candidate'], shown: 'whole' | 'beginning' = 'whole'): Markup {
  return html`${name === null ? '' : html`<b>${foreign(name, shown)}</b> `}${foreign(email, shown)}`
}

/** A text as it was sent, which scrolls. */
export function block(label: string, text: string): Markup {
  return html`<pre tabindex="0" role="group" aria-label="${label}">${text}</pre>`
}

/** The status of an invite or a callback, or another short fact. */
export function badge(status: string, label: string = statusName(status)): Markup {
  return html`<span class="badge ${status.toLowerCase().replace(' ', '-')}">${label}</span>`
}

export function statusName(status: string): string {
  return status.toLowerCase().replace('_', ' ')
}

export function copyButton(text: string, label: string, about: string): Markup {
  return html`<button type="button" class="quiet" data-copy="${text}" aria-label="${label}: ${about}">${label}</button>`
}

/** A form with one button, which sends one request to the control API. What cannot be undone asks first. */
export function action(request: string, label: string, options: Action = {}): Markup {
  const { body = {}, id, look = '', about, asks } = options
  const named = about === undefined ? '' : html`aria-label="${label}: ${about}"`
  const form = (button: Markup): Markup =>
    html`<form class="inline" data-api="${request}" data-body="${JSON.stringify(body)}">${button}</form>`
  if (asks === undefined) {
    return form(html`<button class="${look}" ${id === undefined ? '' : html`id="${id}"`} ${named}>${label}</button>`)
  }
  return html`<details class="ask" id="${id}"><summary class="button" ${named}>${label}</summary><div class="question"><p>${asks}</p>${form(html`<button class="danger">${label}</button>`)}</div></details>`
}

export interface Action {
  readonly body?: Readonly<Record<string, unknown>>
  /** Keeps the focus on the button when its section is fetched again. */
  readonly id?: string
  readonly look?: 'quiet' | 'primary' | ''
  /** What the button acts on, for screen readers. */
  readonly about?: string
  /** The question that has to be answered first, for what cannot be undone. It needs an `id`. */
  readonly asks?: string
}
