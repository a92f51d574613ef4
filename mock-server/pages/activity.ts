import { html } from 'hono/html'
import { isoTime } from '../world/clock.ts'
import type { Attempt, Invite } from '../world/model.ts'
import type { LogEntry } from '../sandbox/request-log.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { type Effect, effectsOf } from './effects.ts'
import { badge, isolated, type Markup, skill, time } from './kit/markup.ts'
import { storyOf } from './request-story.ts'
import { requestLine } from './requests.ts'
import type { ViewRequest } from './view.ts'

const MAX_ROWS = 20

/**
 * What happened last: one line per request, or per invite that no request in the log created, with its consequences in
 * the order in which they happened. The one that something happened to last comes first.
 */
export function activityLines(mock: MockServer, requested: ViewRequest): Markup[] {
  const causes = newestCauses(requested)
  const effects = effectsOf(
    causes.flatMap(({ invites }) => invites.map(({ inviteId }) => inviteId)),
    requested,
  )
  return causes.map(({ id, at, logged, invites, attempt }) => {
    const lines = invites.map((invite) => inviteLine(invite, requested, effects.get(invite.inviteId) ?? []))
    return html`<li id="activity-${id}"><div class="line">${time(isoTime(at))} <span>${
      logged
        ? html`<a href="${requested.prefix}/requests/${logged.number}">Request ${logged.number}</a> ${requestLine(logged)}`
        : invites[0]
          ? html`Invite of ${isolated(invites[0].candidate.email, 'beginning')}`
          : attempt && html`Attempt of ${isolated(attempt.email, 'beginning')} ${badge(attempt.status)}`
    }</span></div>${logged && storyOf(logged, mock, requested)}
${lines.length === 0 ? '' : html`<ul class="effects">${lines}</ul>`}</li>`
  })
}

/** Why something happened: a request; or an invite, or an attempt, that a tester made. */
interface Cause {
  readonly id: string
  /** When it happened. */
  readonly at: number
  readonly logged?: LogEntry | undefined
  /** What it created, each followed by what its candidate claimed. */
  readonly invites: readonly Invite[]
  readonly attempt?: Attempt
}

function newestCauses({ rows }: ViewRequest): Cause[] {
  const { requests, invites, mails, callbacks } = rows
  const creators = new Map<string, LogEntry>()
  for (const logged of requests.all()) for (const id of logged.createdInviteIds) creators.set(id, logged)
  const followed = (invite: Invite | undefined): Invite[] =>
    invite ? [invite, ...followed(invites.get(invite.followedBy ?? ''))] : []
  const ofRequest = (logged: LogEntry): Cause => ({
    id: `request-${logged.number}`,
    at: logged.at,
    logged,
    invites: logged.createdInviteIds.flatMap((id) => followed(invites.get(id))),
  })
  const ofInvite = (inviteId: string): Cause | undefined => {
    const invite = invites.get(inviteId)
    if (invite?.followUpOf) return ofInvite(invite.followUpOf.inviteId)
    const logged = creators.get(inviteId)
    if (logged) return ofRequest(logged)
    return invite && { id: `invite-${inviteId}`, at: invite.createdAt, invites: followed(invite) }
  }
  const attempts = rows.attempts().toSorted((a, b) => lastOf(a) - lastOf(b))
  const newest: (readonly [at: number, cause: Cause | undefined])[] = [
    ...last(requests.all()).map((logged) => [logged.at, ofRequest(logged)] as const),
    ...last(invites.all()).map(({ createdAt, inviteId }) => [createdAt, ofInvite(inviteId)] as const),
    ...last(mails.all()).map(({ sentAt, inviteId }) => [sentAt, ofInvite(inviteId)] as const),
    ...last(callbacks.all()).map(({ occurredAt, inviteId }) => [occurredAt, ofInvite(inviteId)] as const),
    ...last(attempts).map((attempt, index): [number, Cause | undefined] => [
      lastOf(attempt),
      attempt.inviteId === null
        ? { id: `attempt-${index}`, at: lastOf(attempt), invites: [], attempt }
        : ofInvite(attempt.inviteId),
    ]),
  ]
  const latest = new Map<string, { readonly at: number; readonly cause: Cause }>()
  for (const [at, cause] of newest) {
    if (cause && at >= (latest.get(cause.id)?.at ?? 0)) latest.set(cause.id, { at, cause })
  }
  // At the same time, which a frozen clock makes usual, the later request comes first.
  const place = ({ logged }: Cause): number => logged?.number ?? 0
  return [...latest.values()]
    .toSorted((a, b) => b.at - a.at || place(b.cause) - place(a.cause))
    .slice(0, MAX_ROWS)
    .map(({ cause }) => cause)
}

function last<Row>(rows: readonly Row[]): readonly Row[] {
  return rows.slice(-MAX_ROWS)
}

function lastOf({ startedAt, endedAt }: Attempt): number {
  return endedAt ?? startedAt
}

function inviteLine(invite: Invite, { rows, prefix }: ViewRequest, effects: readonly Effect[]): Markup {
  const steps = effects.map(({ what }) => html`<li>${what}</li>`)
  const status = rows.invites.statusOf(invite)
  // Any other status is among the steps.
  const open = status === 'PENDING' || status === 'EXPIRED' ? html`<li>${badge(status)}</li>` : ''
  const kind = invite.followUpOf ? `${invite.followUpOf.kind} ` : ''
  return html`<li>${kind}<a href="${prefix}/invites/${invite.inviteId}">${skill(invite)}</a><ol>${steps}${open}</ol></li>`
}
