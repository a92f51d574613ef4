import { html } from 'hono/html'
import { addressOf, type ListRequest } from '../../mock-server/pages/kit/lists.ts'
import {
  badge,
  copyButton,
  count,
  factList,
  isolated,
  type Markup,
  person,
  section,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { LedgerChange, LedgerInvite, LedgerRecord } from '../../src/ledger/index.ts'
import { shellQuoted } from '../config/ledger-place.ts'
import { chainsOf, inviteRowsOf } from '../ledger/invite-row.ts'
import { maskLink } from '../terminal/text.ts'
import { createOf, decisionForms, undoForm } from './decisions.ts'
import { recordSearch } from './list.ts'
import { resultOf, stateOf } from './status.ts'
import { recordOf, type Studio } from './studio.ts'
import { lossText, titleOf } from './words.ts'

/** One record with its history. `undefined` if there is none. */
export async function recordView(
  studio: Studio,
  { query }: ListRequest,
  reference: string,
): Promise<Markup | undefined> {
  const record = await recordOf(studio, reference)
  if (record === undefined) return undefined
  const { input, invites, challengeUrls = [], history, changesOmitted } = record
  const { name, email } = input.candidate
  const isShown = query['link'] === 'shown'
  const hasLinks = challengeUrls.length > 0 || invites.some(({ challengeUrl }) => challengeUrl !== undefined)
  const to = addressOf(`/records/${encodeURIComponent(reference)}`, { link: isShown ? '' : 'shown' })
  const toggle = hasLinks && html`<a class="button quiet" href="${to}">${isShown ? 'Hide' : 'Show'} links</a>`
  const ofRecord = section({
    id: 'record',
    title: name ?? email,
    parts: ['ledger'],
    actions: badge(stateOf(record, studio.now())),
    body: html`${recordFacts(record, isShown)}${invites.map((invite) => inviteFacts(invite, isShown))}
<div class="buttons" data-create="${JSON.stringify(createOf(record))}">${toggle || ''}${undoForm(record)}${decisionForms(record)}</div>`,
  })
  const ofHistory = section({
    id: 'history',
    title: 'History',
    parts: ['ledger'],
    summary: changesOmitted === 0 ? '' : `${changesOmitted} changes are left out`,
    body: html`<ol class="timeline">${history.map(changeStep)}</ol>`,
  })
  return html`${recordSearch()}<div class="invite-page">${ofRecord}${ofHistory}</div>${await removal(studio, email)}`
}

function recordFacts(record: LedgerRecord, isShown: boolean): Markup {
  const { input, state, code, sentAt, settledAt, campaign, row, baseUrl, reference, reusedBy = [] } = record
  const { packageId, quizId, challengeUrls = [] } = record
  const chains = new Set(inviteRowsOf(record, true).flatMap((each) => chainsOf(each, record)))
  return factList([
    ['Candidate', person(input.candidate)],
    ['Invited to', recordsLink(titleOf(record), packageId === undefined ? { quiz: quizId } : { package: packageId })],
    ['What happened', state === 'unknown' && lossText(record)],
    ['Sent', time(sentAt)],
    ['Settled', state !== 'unknown' && settledAt !== undefined && time(settledAt)],
    ['Result', resultOf(record)],
    ['Code', code],
    ['Campaign', campaign && html`${recordsLink(campaign, { campaign })}${row === undefined ? '' : `, row ${row}`}`],
    ['Reference', html`<code>${isolated(reference)}</code>`],
    ['Answers also', reusedBy.length > 0 && html`${reusedBy.map((each) => html`<code>${isolated(each)}</code> `)}`],
    ['Your reference', 'externalReference' in input && input.externalReference && isolated(input.externalReference)],
    ...challengeUrls.map((link) => ['Link', linkOf(link, isShown)] as const),
    ['Service', isolated(baseUrl)],
    ['Account', isolated(record.account)],
    ...Array.from(chains, (chain) => ['Follow-ups', isolated(chain)] as const),
  ])
}

function inviteFacts(invite: LedgerInvite, isShown: boolean): Markup {
  const { inviteId, skillName, result, resultAt, expiresAt, expiryAssumed, emailSent, challengeUrl } = invite
  return html`<h3>Invite <code>${isolated(inviteId)}</code></h3>${factList([
    ['Skill', skillName && isolated(skillName)],
    ['Result', result && html`${badge(result)} ${resultAt === undefined ? '' : time(resultAt)}`],
    ['Expires', html`${time(expiresAt)}${expiryAssumed ? ' (assumed: the service gave none)' : ''}`],
    ['E-mail', emailSent !== undefined && (emailSent ? 'sent by the service' : 'not sent')],
    ['Link', challengeUrl && linkOf(challengeUrl, isShown)],
  ])}`
}

/* How to remove somebody who asks for it: the page itself removes nobody. */
async function removal({ ledger }: Studio, email: string): Promise<Markup> {
  const command = `certify ledger purge --email ${shellQuoted(email)} --ledger ${shellQuoted(ledger.path)}`
  const found = await ledger.purge({ email, dryRun: true })
  const kept = found.kept === 0 ? '' : `; ${count(found.kept, 'create')} in progress stays`
  return section({
    id: 'removal',
    title: 'Remove this candidate',
    parts: ['ledger'],
    body: html`<p>This command removes everything that the ledger has about ${isolated(email)}, in all accounts:
${count(found.removed, 'record')}${kept}. It asks first. The candidate can then be invited again; nothing changes at the
service.</p>
<p><code>${command}</code> ${copyButton(command, 'Copy', 'command')}</p>`,
  })
}

function recordsLink(label: string, query: Readonly<Record<string, string | undefined>>): Markup {
  return html`<a href="${addressOf('/records', query)}">${isolated(label)}</a>`
}

function linkOf(link: string, isShown: boolean): Markup {
  return isShown
    ? html`<code>${isolated(link)}</code> ${copyButton(link, 'Copy', 'link')}`
    : html`<code>${maskLink(link)}</code>`
}

function changeStep({ at, what, finding, code, inviteIds = [], by, note, from }: LedgerChange): Markup {
  const [title, look = ''] = CHANGES[what === 'resolved' ? `found ${finding}` : what] ?? [what]
  const about = [by && `by ${by}`, ...inviteIds, from && `from ${from}`, code].filter(Boolean).join(', ')
  return html`<li class="step ${look}"><b>${title}</b>
${about && html`<p class="small">${isolated(about)}</p>`}${note === undefined ? '' : html`<p>${isolated(note)}</p>`}
<p>${time(at)}</p></li>`
}

const CHANGES: Readonly<Record<string, readonly [title: string, look?: 'good' | 'poor']>> = {
  sent: ['Sent'],
  created: ['Created', 'good'],
  refused: ['Refused by the service'],
  'not-executed': ['Not executed'],
  unknown: ['Response lost', 'poor'],
  lapsed: ['No outcome was recorded', 'poor'],
  event: ['Named by a callback', 'good'],
  'found created': ['Decided: it exists', 'good'],
  'found not-created': ['Decided: it does not exist'],
  undone: ['Decision undone'],
  imported: ['Imported'],
  late: ['An earlier create had created it after all'],
  replaced: ['Replaced a create that created nothing'],
}
