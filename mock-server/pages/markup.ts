import { html } from 'hono/html'
import type { MockPart } from '../contract/changes.ts'

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
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}</time>`
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

/** A form with one button, which sends one request to the control API. */
export function action(request: string, label: string, options: Action = {}): Markup {
  const { body = {}, id, look = '', about } = options
  return html`<form class="inline" data-api="${request}" data-body="${JSON.stringify(body)}"><button class="${look}" ${id === undefined ? '' : html`id="${id}"`} ${about === undefined ? '' : html`aria-label="${label}: ${about}"`}>${label}</button></form>`
}

export interface Action {
  readonly body?: Readonly<Record<string, unknown>>
  /** Keeps the focus on the button when its section is fetched again. */
  readonly id?: string
  readonly look?: 'quiet' | 'primary' | ''
  /** What the button acts on, for screen readers. */
  readonly about?: string
}
