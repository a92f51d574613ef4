import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { action, count, type Markup, time } from './kit/markup.ts'

/** The time of the world, what is due next, and a menu that changes it. */
export function clockBar({ clock }: MockServer, due: DueNext | null): Markup {
  const now = clock.now().toISOString()
  const moves = ['1h', '1d', '14d'].map((by) =>
    action('POST /clock/advance', `+${by.replace(/(\d+)/, '$1\u202f')}`, {
      body: { by },
      id: `advance-${by}`,
      about: 'move the clock forward',
      done: `Clock moved by ${by}: {happened}`,
    }),
  )
  const mode = clock.frozen
    ? action('PUT /clock', 'Unfreeze', { body: { frozen: false }, id: 'clock-mode', done: 'The clock runs' })
    : action('PUT /clock', 'Freeze', { body: { frozen: true }, id: 'clock-mode', done: 'The clock is frozen' })
  const state = clock.frozen ? 'frozen' : 'runs'
  return html`<section id="clock" class="clock" aria-label="Clock" data-parts="clock">
<button type="button" id="clock-button" class="clock-time" popovertarget="clock-menu">
  <span class="dot ${state}"></span><span class="hidden">Clock, ${state}:</span>
  <time datetime="${now}" ${clock.frozen ? '' : html`data-ticking`}>${now.slice(5, 10)} ${now.slice(11, 19)} UTC</time>
</button>
<div popover id="clock-menu" class="question" role="dialog" aria-label="Clock">
  <p>The clock of this world ${clock.frozen ? 'is frozen' : 'runs'}. What falls due happens at once.</p>
  ${due && nextExpiry(due)}
  <div class="buttons">${mode}${moves}</div>
  ${timeForm(now.slice(0, 19))}
  <p><button type="button" class="quiet" data-zone>Local time or UTC</button></p>
</div>
</section>`
}

/** The links that expire next. */
export interface DueNext {
  readonly at: string
  readonly links: number
}

function nextExpiry({ at, links }: DueNext): Markup {
  const go = action('PUT /clock', 'Go there', {
    id: 'clock-next',
    body: { frozen: true, now: at },
    about: 'the next links that expire',
    done: 'The clock is frozen there: {happened}',
  })
  return html`<p>${count(links, 'link')} ${links === 1 ? 'expires' : 'expire'} next, at ${time(at)}. ${go}</p>`
}

/** Any time that is still to come. The clock stops there. */
function timeForm(now: string): Markup {
  return html`<form class="fields" method="dialog" data-api="PUT /clock" data-body="${JSON.stringify({ frozen: true })}"
  data-done="The clock is frozen at this time: {happened}">
<label>Time in UTC
  <input type="datetime-local" name="now" data-type="utc" step="1" min="${now}" value="${now}" required></label>
<button>Freeze at this time</button>
</form>`
}
