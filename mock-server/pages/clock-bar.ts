import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { action, type Markup } from './markup.ts'

/** The time of the world, and the buttons that change it. */
export function clockBar({ clock }: MockServer): Markup {
  const now = clock.now().toISOString()
  const [day, time] = [now.slice(0, 10), now.slice(11, 19)]
  const moves = ['1h', '1d', '14d'].map((by) =>
    action('POST /clock/advance', `+${by.replace(/(\d+)/, '$1\u202f')}`, {
      body: { by },
      id: `advance-${by}`,
      about: 'move the clock forward',
    }),
  )
  const mode = clock.frozen
    ? action('PUT /clock', 'Unfreeze', { body: { frozen: false }, id: 'clock-mode', about: 'follow real time' })
    : action('PUT /clock', 'Freeze', { body: { frozen: true }, id: 'clock-mode' })
  return html`<section id="clock" class="clock" aria-label="Clock" data-parts="clock" data-summary="${day} ${time} UTC, ${clock.frozen ? 'frozen' : 'runs'}">
<span class="clock-time"><span class="dot ${clock.frozen ? 'frozen' : ''}"></span><time datetime="${now}" ${clock.frozen ? '' : html`data-ticking`}>${day} ${time}</time> UTC<span class="clock-mode">${clock.frozen ? 'frozen' : 'runs'}</span></span>
<span class="clock-moves">${mode}${moves}</span>
${timeForm(`${day}T${time}`)}
</section>`
}

/** Any time that is still to come. The clock stops there. */
function timeForm(now: string): Markup {
  return html`<details id="clock-choice" class="clock-choice"><summary>Freeze at…</summary>
<form data-api="PUT /clock" data-body="${JSON.stringify({ frozen: true })}">
<label>Time in UTC <input type="datetime-local" id="clock-to" name="now" data-type="utc" step="1" min="${now}" value="${now}" required></label>
<button>Freeze there</button>
</form></details>`
}
