import { statusOf } from '../world/attempts.ts'
import { DAY_MS, isoTime } from '../world/clock.ts'
import { offerOf } from '../world/follow-ups.ts'
import type { InviteStatus } from '../generated/contract.ts'
import type { Invite } from '../world/model.ts'
import type { World } from '../world/world.ts'
import type { PlainResponse } from './exchange.ts'

const HOUR_MS = DAY_MS / 24

/** The response of a challenge link to a program: its skill, how long it stays open, and its status. */
export function challengeResponse(world: World, method: string, token: string): PlainResponse {
  if (method !== 'GET' && method !== 'HEAD') return page(405, 'Open a challenge link with GET.', { allow: 'GET, HEAD' })
  const invite = world.state.inviteByToken(token)
  if (!invite) return page(404, 'There is no such challenge link.')
  const status = statusOf(world, invite)
  const isOpen = status === 'PENDING' || status === 'IN_PROGRESS'
  const offer = offerOf(world, invite)
  const lines = [
    `Certification: ${invite.skillName} (${invite.level})`,
    wordsFor(status, invite, world.clock.now()),
    ...(offer ? [`On offer: a ${offer.kind} (${offer.quiz.id}).`] : []),
  ]
  return page(isOpen ? 200 : 410, lines.join('\n'))
}

function wordsFor(status: InviteStatus, { expiresAt }: Invite, now: number): string {
  if (status === 'PENDING') return `This link is open until ${isoTime(expiresAt)}: ${inWords(expiresAt - now)}.`
  if (status === 'EXPIRED') return `This link closed at ${isoTime(expiresAt)}.`
  if (status === 'IN_PROGRESS') return 'The attempt is in progress.'
  return `This link was used: its attempt was ${status.toLowerCase()}.`
}

function inWords(ms: number): string {
  const days = Math.floor(ms / DAY_MS)
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS)
  return `${days} days and ${hours} hours from now`
}

function page(status: number, text: string, headers: Readonly<Record<string, string>> = {}): PlainResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: `${text}\n` }
}
