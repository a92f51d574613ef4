import { html } from 'hono/html'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { type InviteStatus, LEVELS, type MockInvite } from '../world/model.ts'
import { type Markup, time } from './markup.ts'

/** The buttons for what the candidate may do now. They are plain forms; `from` is the page to come back to. */
export function candidateButtons({ invite, offer }: MockChallenge, link: string, from?: 'invite'): Markup {
  const back = from === undefined ? '' : html`<input type="hidden" name="from" value="${from}">`
  const button = ([act, label, look = '']: readonly string[]): Markup =>
    html`<form class="inline" method="post" action="${link}/${act}">${back}<button id="${act}" class="${look}">${label}</button></form>`
  const claim = offer === null ? '' : button(['claim', `Claim the ${offer}`, 'primary'])
  return html`${BUTTONS[invite.status]?.map(button)}${claim}`
}

/** Why the candidate cannot claim a follow-up; `null` where one is offered or was claimed, or no attempt has ended. */
export function followUpReason({ quizzes }: MockServer, { invite, offer }: MockChallenge): string | null {
  const { status, followUpOf, followedBy, quizId, skillName, level } = invite
  if (offer !== null || followedBy !== null) return null
  if (status === 'ABANDONED') return 'No follow-up: an attempt that was abandoned has no result.'
  if (status === 'FAILED') {
    if (!quizzes.some(({ id, ready }) => id === quizId && ready)) return 'No retake: the quiz is not READY.'
    if (followUpOf?.kind === 'retake') return 'No retake: this was the retake, and there is one only.'
    return `No retake: ${SWITCHED_OFF}`
  }
  if (status !== 'PASSED') return null
  const next = LEVELS[LEVELS.indexOf(level) + 1]
  if (next === undefined) return 'No level-up: this is the highest level.'
  const isThere = quizzes.some((quiz) => quiz.ready && quiz.skillName === skillName && quiz.level === next)
  if (isThere) return `No level-up: ${SWITCHED_OFF}`
  return `No level-up: no quiz that is READY tests this skill at the level ${next.toLowerCase()}.`
}

const SWITCHED_OFF = 'the rules of this world offer none to this candidate.'

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

/** The time in the sandbox, which is not that of the reader. */
export function sandboxTime({ clock }: MockServer): Markup {
  const now = clock.now().toISOString()
  if (clock.frozen) return html`Sandbox time: ${time(now)}, frozen`
  return html`Sandbox time: <time datetime="${now}" data-ticking>${now.slice(0, 10)} ${now.slice(11, 19)}</time> UTC`
}

export const STATUS_TEXTS: Readonly<Record<InviteStatus, string>> = {
  PENDING: 'The attempt has not started. Start it, or choose at once how it ends.',
  IN_PROGRESS: 'The attempt is in progress. How does it end?',
  PASSED: 'Passed: the candidate is certified.',
  FAILED: 'Failed: there is no certification.',
  ABANDONED: 'The attempt was abandoned. There is no result.',
  EXPIRED: 'This link has closed: nobody started in time.',
  WITHDRAWN: 'This link was withdrawn: its quiz is out of service.',
}

const ENDS = [
  ['pass', 'Pass'],
  ['fail', 'Fail'],
  ['abandon', 'Abandon'],
] as const

const BUTTONS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  PENDING: [['start', 'Start', 'primary'], ...ENDS],
  IN_PROGRESS: ENDS,
}
