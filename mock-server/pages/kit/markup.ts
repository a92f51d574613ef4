import { html } from 'hono/html'

/* The kit of a page. Pages are tagged templates: HTML as the browser gets it, escaped, without a build step. JSX is twice as long. */

/** A piece of a page. Every value in it is escaped, unless it is a piece itself. */
export type Markup = ReturnType<typeof html>

export interface Section {
  readonly id: string
  readonly title: string
  /** The page fetches the section again when one of these parts of its subject changes. */
  readonly parts?: readonly string[]
  /** While somebody reads a list, it stays as it is: the button `show-new` in its actions says how much is new. */
  readonly steady?: boolean
  readonly summary?: string
  readonly actions?: Markup
  readonly body: Markup
}

export function section({ id, title, parts, steady, summary = '', actions, body }: Section): Markup {
  const isLive = parts && html`data-parts="${parts.join(' ')}"`
  return html`<section id="${id}" class="card" aria-labelledby="${id}-title" ${isLive} ${steady ? html`data-steady` : ''}>
<div class="head">
  <h2 id="${id}-title">${title}</h2>${summary === '' ? '' : html`<span class="count">${summary}</span>`}
  <div class="actions">${actions}</div>
</div>
${body}
</section>`
}

/** A table. A heading is a text, or a cell of its own. */
export function table(headings: readonly (string | Markup)[], rows: readonly Markup[]): Markup {
  const cells = headings.map((each) => (typeof each === 'string' ? html`<th scope="col">${each}</th>` : each))
  return html`<table>
<thead><tr>${cells}</tr></thead>
<tbody>${rows}</tbody>
</table>`
}

/** The heading of a column of buttons, for screen readers. */
export function hiddenHeading(text: string): Markup {
  return html`<th scope="col"><span class="hidden">${text}</span></th>`
}

interface Entry {
  readonly id: string | number
  readonly summary: Markup
  /** A line that is shown below the summary, whether the entry is open or not. */
  readonly story: Markup | ''
  /** What is shown only while it is open. */
  readonly more: Markup
  /** Its buttons: what is in a summary cannot be clicked. */
  readonly actions?: Markup | ''
  readonly isOpen?: boolean
}

/** A row of a list that opens. */
export function entry({ id, summary, story, more, actions = '', isOpen = false }: Entry): Markup {
  return html`<li id="entry-${id}">${actions && html`<span class="do">${actions}</span>`}
<details id="details-${id}" class="opener" ${isOpen ? html`open` : ''}><summary>${summary}</summary></details>
${story}
<div class="opened">${more}</div></li>`
}

/** The text that is shown if there are no rows. */
export function empty(text: string | Markup): Markup {
  return html`<p class="empty">${text}</p>`
}

/** A time. The page shows it by the reader's clock, with UTC on hover. */
export function time(iso: string): Markup {
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/** A text from a tester. It may change the direction of writing, or be long: a list shows its beginning. */
export function isolated(text: string, shown: 'whole' | 'beginning' = 'whole'): Markup {
  return html`<bdi class="${shown}">${text}</bdi>`
}

interface Person {
  readonly name?: string | null | undefined
  readonly email: string
}

/** A candidate, by name and address. */
export function person({ name, email }: Person, shown: 'whole' | 'beginning' = 'whole'): Markup {
  return html`${name === null || name === undefined ? '' : html`<b>${isolated(name, shown)}</b> `}${isolated(email, shown)}`
}

export function skill({
  skillName,
  level,
}: {
  readonly skillName: string
  readonly level?: string | undefined
}): string {
  return level === undefined ? skillName : `${skillName}, ${level.toLowerCase()}`
}

/** A text as it was sent. The page formats it as soon as somebody sees it. */
export function payload(id: string, label: string, text: string): Markup {
  return html`<figure class="payload" id="${id}">
<figcaption>${label}</figcaption>
<pre tabindex="0" role="group" aria-label="${label}">${text}</pre>
</figure>`
}

/** Facts with their names, of which those without a value are left out. */
export function factList(
  facts: readonly (readonly [name: string | Markup, value: Markup | string | false | null | undefined])[],
): Markup {
  const lines = facts.map(([name, value]) => (value ? html`<dt>${name}</dt><dd>${value}</dd>` : ''))
  return html`<dl class="facts">${lines}</dl>`
}

/** Headers, one per line. */
export function headerList(headers: Readonly<Record<string, string>>): Markup {
  const lines = Object.entries(headers).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)
  return html`<dl class="headers">${lines}</dl>`
}

/** The status of an invite or a callback, or another short fact. */
export function badge(status: string, label: string = statusName(status)): Markup {
  return html`<span class="badge ${status.toLowerCase().replace(/[ _]/g, '-')}">${label}</span>`
}

export function statusName(status: string): string {
  // Nothing stopped it: its host was never contacted.
  return status === 'blocked' ? 'not sent' : status.toLowerCase().replace(/[_-]/g, ' ')
}

export function copyButton(text: string, label: string, about: string): Markup {
  return html`<button type="button" class="quiet" data-copy="${text}" aria-label="${label}: ${about}">${label}</button>`
}

/** A form with one button, which sends one request to the control API. An action that cannot be undone asks first. */
export function action(request: string, label: string, options: Action): Markup {
  const { body = {}, id, look = '', about, asks, done } = options
  const named = about === undefined ? '' : html`aria-label="${label}: ${about}"`
  const form = (button: Markup): Markup =>
    html`<form class="inline" method="dialog" data-api="${request}" data-body="${JSON.stringify(body)}" data-done="${done}">${button}</form>`
  if (asks === undefined) return form(html`<button class="${look}" id="${id}" ${named}>${label}</button>`)
  return html`<button type="button" id="${id}" class="${look}" popovertarget="${id}-question" ${named}>${label}</button>
<div class="question" popover id="${id}-question" role="dialog" aria-label="${label}"><p>${asks}</p>
<div class="buttons">
${form(html`<button class="danger">${label}</button>`)}
<button type="button" class="quiet" popovertarget="${id}-question" popovertargetaction="hide">Cancel</button>
</div></div>`
}

export interface Action {
  readonly body?: Readonly<Record<string, unknown>>
  /** Keeps the focus on the button when its section is fetched again. */
  readonly id: string
  /** The message when it is done. Names in braces are members of the response. */
  readonly done: string
  readonly look?: 'quiet' | 'primary' | ''
  /** What the button acts on, for screen readers. */
  readonly about?: string
  /** The question to answer first, for an action that cannot be undone. */
  readonly asks?: string
}

export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
