import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import {
  badge,
  copyButton,
  count,
  isolated,
  type Markup,
  person,
  section,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { LedgerChange } from '../../src/ledger/index.ts'
import { chainsOf, inviteRowsOf } from '../ledger/invite-row.ts'
import { maskLink } from '../terminal/text.ts'
import { decisionForms, undoForm } from './decisions.ts'
import { resultOf, stateOf } from './status.ts'
import { addressOf, searchForm, type Studio } from './studio.ts'
import { lossText, titleOf } from './words.ts'

/** One record with its history. `undefined` if there is none. */
export async function recordView(
  { ledger, account, now }: Studio,
  { path, query }: ListRequest,
  reference: string,
): Promise<Markup | undefined> {
  const record = await ledger.find(reference)
  if (record === undefined || (account !== undefined && record.account !== account)) return undefined
  const { input, state, code, sentAt, settledAt, campaign, row, baseUrl, invites, history, changesOmitted } = record
  const { challengeUrls = [] } = record
  const isShown = query['link'] === 'shown'
  const rows = inviteRowsOf(record, true)
  const chains = [...new Set(rows.flatMap((each) => chainsOf(each, record)))]
  const facts: readonly (readonly [string, Markup | string | undefined])[] = [
    ['Candidate', person(input.candidate)],
    [
      'Invited to',
      recordsLink(
        titleOf(record),
        record.packageId === undefined ? { quiz: record.quizId } : { package: record.packageId },
      ),
    ],
    ['What happened', state === 'unknown' ? lossText(record) : undefined],
    ['Sent', time(sentAt)],
    ['Settled', settledAt === undefined || state === 'unknown' ? undefined : time(settledAt)],
    ['Result', resultOf(record)],
    ['Code', code],
    [
      'Campaign',
      campaign === undefined
        ? undefined
        : html`${recordsLink(campaign, { campaign })}${row === undefined ? '' : `, row ${row}`}`,
    ],
    ['Reference', html`<code>${isolated(reference)}</code>`],
    [
      'Your reference',
      ('externalReference' in input && input.externalReference && isolated(input.externalReference)) || undefined,
    ],
    ...challengeUrls.map((link) => ['Link', linkOf(link, isShown)] as const),
    ['Service', isolated(baseUrl)],
    ['Account', isolated(record.account)],
    ...chains.map((chain) => ['Follow-ups', isolated(chain)] as const),
  ]
  const links = challengeUrls.length > 0 || invites.some(({ challengeUrl }) => challengeUrl !== undefined)
  const toggle = isShown
    ? html`<a class="button quiet" href="${path}">Hide links</a>`
    : html`<a class="button quiet" href="${path}?link=shown">Show links</a>`
  const command = `certify ledger purge --email ${quoted(input.candidate.email)} --ledger ${quoted(ledger.path)}`
  const found = await ledger.purge({ email: input.candidate.email, dryRun: true })
  return html`${searchForm({ path: '/records', prefix: '', query: {} })}<div class="invite-page">${section({
    id: 'record',
    title: input.candidate.name ?? input.candidate.email,
    parts: ['ledger'],
    summary: '',
    actions: badge(stateOf(record, now())),
    body: html`${factList(facts)}${invites.map(
      (invite) =>
        html`<h3>Invite <code>${isolated(invite.inviteId)}</code></h3>${factList([
          ['Skill', invite.skillName && isolated(invite.skillName)],
          [
            'Result',
            invite.result &&
              html`${badge(invite.result)} ${invite.resultAt === undefined ? '' : time(invite.resultAt)}`,
          ],
          [
            'Expires',
            html`${time(invite.expiresAt)}${invite.expiryAssumed ? ' (assumed: the service gave none)' : ''}`,
          ],
          [
            'E-mail',
            invite.emailSent === undefined ? undefined : invite.emailSent ? 'sent by the service' : 'not sent',
          ],
          ['Link', invite.challengeUrl && linkOf(invite.challengeUrl, isShown)],
        ])}`,
    )}<div class="buttons">${links ? toggle : ''}${undoForm(record)}${decisionForms(record)}</div>`,
  })}${section({
    id: 'history',
    title: 'History',
    parts: ['ledger'],
    summary: changesOmitted === 0 ? '' : `${changesOmitted} changes are left out`,
    body: html`<ol class="timeline">${history.map(changeStep)}</ol>`,
  })}</div>${section({
    id: 'removal',
    title: 'Remove this candidate',
    parts: ['ledger'],
    body: html`<p>This command removes everything that the ledger has about ${isolated(input.candidate.email)}, in all accounts:
${count(found.removed, 'record')}${found.kept === 0 ? '' : `; ${count(found.kept, 'create')} in progress stays`}. It asks
first. The candidate can then be invited again; nothing changes at the service.</p>
<p><code>${command}</code> ${copyButton(command, 'Copy', 'command')}</p>`,
  })}`
}

function recordsLink(label: string, query: Readonly<Record<string, string | undefined>>): Markup {
  return html`<a href="${addressOf('/records', query)}">${isolated(label)}</a>`
}

/* For a shell: an address or a path may have quotes. */
const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)

function factList(facts: readonly (readonly [string, Markup | string | undefined])[]): Markup {
  return html`<dl class="facts">${facts.map(([name, value]) => (value ? html`<dt>${name}</dt><dd>${value}</dd>` : ''))}</dl>`
}

function linkOf(link: string, isShown: boolean): Markup {
  return isShown
    ? html`<code>${isolated(link)}</code> ${copyButton(link, 'Copy', 'link')}`
    : html`<code>${maskLink(link)}</code>`
}

function changeStep({ at, what, finding, code, inviteIds = [], by, note, from }: LedgerChange): Markup {
  const isGood = what === 'created' || finding === 'created' || what === 'event'
  const title =
    finding === undefined
      ? (CHANGES[what] ?? what)
      : finding === 'created'
        ? 'Decided: it exists'
        : 'Decided: it does not exist'
  const facts = [by && `by ${by}`, ...inviteIds, from && `from ${from}`, code].filter(Boolean).join(', ')
  return html`<li class="step ${isGood ? 'good' : what === 'unknown' || what === 'lapsed' ? 'poor' : ''}"><b>${title}</b>
${facts === '' ? '' : html`<p class="small">${isolated(facts)}</p>`}${note === undefined ? '' : html`<p>${isolated(note)}</p>`}
<p>${time(at)}</p></li>`
}

const CHANGES: Readonly<Record<string, string>> = {
  sent: 'Sent',
  created: 'Created',
  refused: 'Refused by the service',
  'not-executed': 'Not executed',
  unknown: 'Response lost',
  lapsed: 'No outcome was recorded',
  event: 'Named by a callback',
  undone: 'Decision undone',
  imported: 'Imported',
  late: 'An earlier create had created it after all',
  replaced: 'Replaced a create that created nothing',
}
