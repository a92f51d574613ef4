import { html } from 'hono/html'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import type { InviteStatus, MockInvite } from '../world/model.ts'
import { action, badge, type Markup, time } from './kit/markup.ts'

/** What a candidate can do with an open link. */
export const CANDIDATE_ACTS = [
  ['start', 'Start', 'Attempt started'],
  ['pass', 'Pass', 'Passed'],
  ['fail', 'Fail', 'Failed'],
  ['abandon', 'Abandon', 'Attempt abandoned'],
] as const

/** The status of an invite, and what the candidate may do now. `more` are other buttons. */
export function candidateState({ invite, offer }: MockChallenge, more: Markup | '' = ''): Markup {
  const { inviteId, status, followedBy } = invite
  const possible = CANDIDATE_ACTS.filter(
    ([act]) => status === 'PENDING' || (status === 'IN_PROGRESS' && act !== 'start'),
  )
  const acts = possible.map(([act, label, done]) =>
    action(`POST /invites/${inviteId}/${act}`, label, { id: act, done, look: act === 'start' ? 'primary' : '' }),
  )
  const claim =
    offer === null
      ? ''
      : action(`POST /invites/${inviteId}/claim`, `Claim the ${offer}`, {
          id: 'claim',
          body: { kind: offer },
          look: 'primary',
          done: `Claimed the ${offer}`,
        })
  const none = offer === null && followedBy === null ? NOT_OFFERED[status] : undefined
  return html`<p>${badge(status)} ${STATUS_TEXTS[status]} ${none}</p>
<div class="buttons">${acts}${claim}${more}</div>`
}

const STATUS_TEXTS: Readonly<Record<InviteStatus, string>> = {
  PENDING: 'The attempt has not started. Start it, or choose at once how it ends.',
  IN_PROGRESS: 'How does the attempt end?',
  PASSED: 'The candidate is certified.',
  FAILED: 'There is no certification.',
  ABANDONED: 'There is no result.',
  EXPIRED: 'Nobody started before the link closed.',
}

const NOT_OFFERED: Partial<Readonly<Record<InviteStatus, string>>> = {
  PASSED: 'No level-up is offered.',
  FAILED: 'No retake is offered.',
}

/** Until when the link is open, or since when it is closed. */
export function linkState({ clock }: MockServer, { status, expiresAt }: MockInvite): Markup {
  const hours = Math.floor((Date.parse(expiresAt) - clock.now().getTime()) / 3_600_000)
  if (status === 'PENDING' || (status === 'IN_PROGRESS' && hours >= 0)) {
    return html`open for ${Math.floor(hours / 24)} days and ${hours % 24} hours, until ${time(expiresAt)}`
  }
  if (status === 'IN_PROGRESS') return html`closed at ${time(expiresAt)}; the attempt continues`
  if (status === 'EXPIRED') return html`closed at ${time(expiresAt)}`
  return html`closed to new attempts`
}

/** The time in the sandbox, which is not the reader's. */
export function sandboxTime({ clock }: MockServer): Markup {
  const now = clock.now().toISOString()
  if (clock.frozen) return html`Sandbox time: ${time(now)}, frozen`
  return html`Sandbox time: <time datetime="${now}" data-ticking>${now.slice(0, 10)} ${now.slice(11, 19)} UTC</time>`
}
