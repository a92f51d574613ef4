import { DAY_MS, isoTime } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import type { PlainAnswer } from './exchange.ts'

const HOUR_MS = DAY_MS / 24

/** What stands behind a challenge link: which skill it is for and how long it stays open. */
export function challengeAnswer(world: World, method: string, token: string): PlainAnswer {
  if (method !== 'GET' && method !== 'HEAD')
    return page(405, 'A challenge link is opened by GET.', { allow: 'GET, HEAD' })
  const invite = world.state.invitesByToken.get(token)
  if (!invite) return page(404, 'There is no such challenge link.')
  const skill = `${invite.skillName} (${invite.level})`
  const leftMs = invite.expiresAt - world.clock.now()
  if (leftMs <= 0) return page(410, `Certification: ${skill}\nThis link closed at ${isoTime(invite.expiresAt)}.`)
  return page(200, `Certification: ${skill}\nThis link is open until ${isoTime(invite.expiresAt)}: ${inWords(leftMs)}.`)
}

function inWords(ms: number): string {
  const days = Math.floor(ms / DAY_MS)
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS)
  return `${days} days and ${hours} hours from now`
}

function page(status: number, text: string, headers: Readonly<Record<string, string>> = {}): PlainAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: `${text}\n` }
}
