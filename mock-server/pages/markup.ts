import { html } from 'hono/html'
import type { MockPart } from '../contract/changes.ts'

/** A piece of a page. Whatever is put into it is text, unless it is a piece itself. */
export type Markup = ReturnType<typeof html>

/** A part of a view that is looked at anew whenever one of these parts of the mock changes. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly parts: readonly MockPart[]
  /** What is said aloud when it has changed: how many there are. */
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

/** What stands where there is nothing to show yet. */
export function empty(text: string | Markup): Markup {
  return html`<p class="empty">${text}</p>`
}

/** A time of the world. */
export function time(iso: string): Markup {
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}</time>`
}

/** A button that copies a text. */
export function copyButton(text: string, label: string, what: string): Markup {
  return html`<button type="button" class="quiet" data-copy="${text}" aria-label="${label}: ${what}">${label}</button>`
}

/** A form with one button, which asks one thing of the control API. */
export function action(request: string, label: string, options: Action = {}): Markup {
  const { body = {}, id, look = '', about } = options
  return html`<form class="inline" data-api="${request}" data-body="${JSON.stringify(body)}"><button class="${look}" ${id === undefined ? '' : html`id="${id}"`} ${about === undefined ? '' : html`aria-label="${label}: ${about}"`}>${label}</button></form>`
}

export interface Action {
  readonly body?: Readonly<Record<string, unknown>>
  /** So that the button still has the focus when its part of the page was looked at anew. */
  readonly id?: string
  readonly look?: 'quiet' | 'primary' | ''
  /** What it is about, for those who do not see what stands beside it. */
  readonly about?: string
}
