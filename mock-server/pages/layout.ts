import { html } from 'hono/html'
import manifest from '../../package.json' with { type: 'json' }
import type { MockServer, MockSession } from '../contract/mock-server.ts'
import { CONTROL_PATH, VIEWS } from '../contract/paths.ts'
import { header, type Page, pageOf, shortcuts, viewLink } from './kit/document.ts'
import { action, count, type Markup, time } from './kit/markup.ts'

type SandboxPage = Pick<Page, 'title' | 'prefix' | 'body' | 'top' | 'live'> & {
  /** The name of the session that the page is about. */
  readonly session?: string | undefined
}

/** A complete page of the sandbox. */
export function document({ session, ...page }: SandboxPage): Markup {
  const api = page.prefix + CONTROL_PATH
  return pageOf({
    ...page,
    product: `certify sandbox${session === undefined ? '' : ` · ${session}`}`,
    api,
    session,
    footer: html`<p><b>Sandbox.</b> Nothing here is real: no e-mail is sent and nobody is certified.</p>
<p>certify-sdk ${manifest.version} · guide: <code>docs/sandbox.md</code> in the package ·
<a href="${api}/openapi.json">Control API</a></p>`,
  })
}

/** A view of the page, with the menu and the clock. */
export function view(
  mock: MockServer | MockSession,
  {
    path,
    due,
    ...page
  }: Omit<SandboxPage, 'live'> & {
    readonly path: string
    readonly due?: DueNext | null
  },
): Markup {
  const { prefix } = page
  const session = 'id' in mock ? mock.id : undefined
  const entries = VIEWS.map((each) =>
    viewLink(
      prefix + each.path,
      each.name,
      each.path === path,
      markOf(mock, each.path),
      'begins' in each ? each.begins : '',
    ),
  )
  const more = VIEWS.findIndex((each) => 'begins' in each && each.begins === 'more')
  const isMore = VIEWS.slice(more).some((each) => each.path === path)
  const views = html`<ul>${entries.slice(0, more)}
<li><details id="more-views" class="menu"><summary class="${isMore ? 'current' : ''}">More</summary>
<ul>${entries.slice(more)}</ul></details></li></ul>`
  const main = prefix.replace(/\/s\/[^/]+$/, '')
  const ofSession = session
    ? html`<p class="session">Session <b>${session}</b> · <a href="${main}/connect">main world</a></p>`
    : ''
  const top = html`${header('certify sandbox', `${prefix}/`, views, clockBar(mock, due ?? null), ofSession)}
${shortcuts([])}`
  return document({ ...page, top, session, live: true })
}

/** What a tester has turned on, and may have forgotten: it changes what clients get. */
function markOf({ faults, callbacks }: MockServer, path: string): Markup | '' {
  if (path === '/faults') {
    const active = faults.list().filter(({ left }) => left > 0).length
    const text = active === 0 ? '' : html`${active}<span class="hidden"> active</span>`
    return html`<span id="active-faults" class="mark" data-parts="faults">${text}</span>`
  }
  if (path !== '/callbacks') return ''
  const text = callbacks.paused ? html`‖<span class="hidden">paused</span>` : ''
  return html`<span id="callbacks-paused" class="mark" data-parts="callbacks">${text}</span>`
}

/** The time of the world and its state in words, what is due next, and a menu that changes it. */
function clockBar({ clock }: MockServer, due: DueNext | null): Markup {
  const now = clock.now().toISOString()
  const offset = offsetWords(Date.parse(now) - Date.now())
  const moves = ['1h', '1d', '14d'].map((by) =>
    action('POST /clock/advance', `+${by.replace(/(\d+)/, '$1\u202f')}`, {
      body: { by },
      id: `advance-${by}`,
      about: 'move the clock forward',
      done: `Clock moved by ${by}: {happened}`,
    }),
  )
  const freeze = action('PUT /clock', 'Freeze', {
    body: { frozen: true },
    id: 'clock-mode',
    done: 'The clock is frozen',
  })
  const state = clock.frozen ? 'frozen' : 'runs'
  return html`<section id="clock" class="clock" aria-label="Clock" data-parts="clock">
<button type="button" id="clock-button" class="clock-time" popovertarget="clock-menu">
  <span class="hidden">Clock:</span> <time datetime="${now}" ${clock.frozen ? '' : html`data-ticking`}>${now.slice(5, 10)} ${now.slice(11, 16)} UTC</time>
  <span class="state ${state}">· ${state}${offset && ` · ${offset}`}</span>
</button>${clock.frozen ? runAction('clock-run') : ''}
</section>
<div popover id="clock-menu" class="question" role="dialog" aria-label="Clock" data-parts="clock">
  <p>The clock of this world ${clock.frozen ? 'is frozen' : 'runs'}. What falls due happens at once.</p>
  ${offset && html`<p>It differs from this machine’s by ${offset}: give <code>certify bulk</code> the option <code>--allow-clock-skew</code>.</p>`}
  ${due && nextExpiry(due)}
  <div class="buttons">${clock.frozen ? runAction('clock-mode') : freeze}${moves}</div>
  ${timeForm(now.slice(0, 19))}
</div>`
}

function runAction(id: string): Markup {
  return action('PUT /clock', 'Run', {
    body: { frozen: false },
    id,
    about: 'let the clock run',
    done: 'The clock runs',
  })
}

/** How far the clock is off, in its largest unit; empty below a minute. */
function offsetWords(offsetMs: number): string {
  const size = Math.abs(offsetMs)
  const [unit, ms] = UNITS.find(([, least]) => size >= least) ?? []
  return ms === undefined ? '' : `${offsetMs < 0 ? '−' : '+'}${Math.round(size / ms).toLocaleString('en')} ${unit}`
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

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
