import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { action, type Markup } from './markup.ts'

/** The time of the world, and the buttons that change it. */
export function clockBar({ clock }: MockServer): Markup {
  const now = clock.now().toISOString()
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
  return html`<section id="clock" class="clock" aria-label="Clock" data-parts="clock" data-summary="${clock.frozen ? 'frozen' : 'runs'} since ${now.slice(0, 16)}">
<span class="clock-time"><span class="dot ${clock.frozen ? 'frozen' : ''}"></span><time datetime="${now}" ${clock.frozen ? '' : html`data-ticking`}>${now.slice(0, 10)} ${now.slice(11, 19)}</time> UTC<span class="clock-mode">${clock.frozen ? 'frozen' : 'runs'}</span></span>
<span class="clock-moves">${mode}${moves}</span>
</section>`
}
