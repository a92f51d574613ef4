import { html } from 'hono/html'
import { callbackBadges } from './callbacks.ts'
import { badge, type Markup } from './kit/markup.ts'
import type { ViewRequest } from './view.ts'

/** Something that happened to an invite. */
export interface Effect {
  readonly at: number
  /** Its place among effects of the same time, which a frozen clock makes usual. */
  readonly rank: number
  readonly what: Markup
  readonly look?: 'good' | 'poor'
}

/** What happened to these invites, each in the order in which it happened: e-mail, attempt, callbacks. */
export function effectsOf(inviteIds: readonly string[], { rows, prefix }: ViewRequest): ReadonlyMap<string, Effect[]> {
  const effects = new Map(inviteIds.map((inviteId) => [inviteId, [] as Effect[]]))
  const { mails, callbacks } = rows
  for (const { inviteId, sentAt: at } of mails.all()) {
    effects.get(inviteId)?.push({ at, rank: 0, what: html`<a href="${prefix}/outbox/${inviteId}">E-mail</a> sent` })
  }
  for (const { inviteId, startedAt, endedAt, status } of rows.attempts()) {
    const of = effects.get(inviteId ?? '')
    of?.push({ at: startedAt, rank: 1, what: html`Attempt started` })
    const look = status === 'PASSED' ? 'good' : 'poor'
    if (endedAt !== null) of?.push({ at: endedAt, rank: 2, what: html`Attempt ended: ${badge(status)}`, look })
  }
  for (const event of callbacks.all()) {
    const { id, type, status, occurredAt: at, inviteId } = event
    const rank = type === 'certification.completed' ? 3 : 4
    const link = html`<a href="${prefix}/callbacks?q=${id}">${type.replace('certification.', '')}</a>`
    effects.get(inviteId)?.push({
      at,
      rank,
      what: html`Callback ${link} ${callbackBadges(callbacks.row(event))}`,
      ...(status !== 'delivered' && status !== 'waiting' && { look: 'poor' as const }),
    })
  }
  for (const each of effects.values()) each.sort((a, b) => a.at - b.at || a.rank - b.rank)
  return effects
}
