import { html } from 'hono/html'
import * as z from 'zod/mini'
import { behaviour as switches, SWITCH_NAMES } from '../contract/behaviour.ts'
import type { MockServer } from '../contract/mock-server.ts'
import type { MockTrack, Quiz } from '../generated/contract.ts'
import { action, badge, count, isolated, type Markup, section, table, time } from './kit/markup.ts'
import { rowsSection, type ViewRequest } from './view.ts'

/** What the service offers: tracks, their packages, and the quizzes of each, which can be switched off. */
export function catalogueSection(mock: MockServer): Markup {
  const quizzes = new Map(mock.quizzes.map((quiz) => [quiz.id, quiz]))
  const inPackages = new Set(mock.tracks.flatMap(({ packages }) => packages.flatMap(({ quizIds }) => quizIds)))
  const others = mock.quizzes.filter(({ id }) => !inPackages.has(id))
  const tracks = mock.tracks.map(
    (
      { id, name, slug, packages },
      index,
    ) => html`<details id="track-${id}" class="track" ${index === 0 ? html`open` : ''}>
<summary><b>${name}</b> <small><code>${slug}</code> · ${count(packages.length, 'package')}</small></summary>
${packages.map((each) => packageOf(each, quizzes))}
</details>`,
  )
  const rest = html`<details id="track-none" class="track"><summary><b>In no package</b>
<small>${count(others.length, 'quiz', 'quizzes')}</small></summary>
<ul class="quizzes">${others.map((quiz) => quizLine(quiz, 'alone'))}</ul></details>`
  return section({
    id: 'catalogue',
    title: 'Catalogue',
    parts: ['world'],
    summary: `${count(mock.tracks.length, 'track')}, ${count(quizzes.size, 'quiz', 'quizzes')}`,
    body: html`<p class="small">A package can be delivered while each of its quizzes is READY.</p>
${tracks}${others.length === 0 ? '' : rest}`,
  })
}

function packageOf(
  { id, name, level, quizIds, deliverable }: MockTrack['packages'][number],
  quizzes: ReadonlyMap<string, Quiz>,
): Markup {
  const lines = quizIds.map((quizId) => {
    const quiz = quizzes.get(quizId)
    return quiz === undefined ? '' : quizLine(quiz, id)
  })
  return html`<div class="package"><p class="line"><b>${name}</b> <small>${level.toLowerCase()}</small>
${deliverable ? badge('passed', 'deliverable') : badge('failed', 'not deliverable')} <code>${id}</code></p>
<ul class="quizzes">${lines}</ul></div>`
}

function quizLine({ id, skillName, level, ready, durationMinutes }: Quiz, place: string): Markup {
  const turn = ready ? 'disable' : 'enable'
  const button = action(`POST /quizzes/${id}/${turn}`, ready ? 'Disable' : 'Enable', {
    id: `${turn}-${place}-${id}`,
    look: 'quiet',
    about: skillName,
    done: ready ? `${skillName} is no longer READY` : `${skillName} is READY`,
  })
  return html`<li class="line" id="quiz-${place}-${id}">${badge(ready ? 'passed' : 'plain', ready ? 'READY' : 'off')} ${skillName}
<small>${level.toLowerCase()}, ${durationMinutes} min</small> <code>${id}</code> <span class="do">${button}</span></li>`
}

/** Candidates with a certification, or an attempt in progress. */
export function candidatesSection(mock: MockServer, requested: ViewRequest): Markup {
  return rowsSection(requested.rows.candidates, requested, {
    id: 'candidates',
    title: 'Candidates',
    parts: ['world', 'clock'],
    noun: 'candidate',
    search: ['q', 'address'],
    noneYet: 'Nobody has a certification or an attempt in progress.',
    none: 'No candidate matches.',
    show: (emails) =>
      table(
        ['Candidate', 'Certifications and attempts in progress'],
        emails.map((email) => candidateLine(mock, email, requested.prefix)),
      ),
  })
}

function candidateLine(mock: MockServer, email: string, prefix: string): Markup {
  const { certifications, attempts } = mock.candidate(email)
  const running = attempts.filter(({ status }) => status === 'IN_PROGRESS')
  const held = certifications.map(
    ({ quizId, valid, validUntil }) => html`<li>${badge(valid ? 'passed' : 'expired', valid ? 'valid' : 'expired')}
<code>${quizId}</code> ${validUntil === null ? 'for ever' : html`until ${time(validUntil)}`}</li>`,
  )
  const now = running.map(({ quizId }) => html`<li>${badge('IN_PROGRESS')} <code>${quizId}</code></li>`)
  return html`<tr><td class="who">
<a href="${prefix}/invites?${new URLSearchParams({ q: email }).toString()}">${isolated(email, 'beginning')}</a></td>
<td><ul>${held}${now}</ul></td></tr>`
}

/** What the mock does where the specification is silent: the behaviour switches. */
export function behaviourSection({ behaviour }: MockServer): Markup {
  const lines = SWITCH_NAMES.map((name) => {
    const value = behaviour[name]
    const schema = switches.shape[name]
    const { description = '' } = z.globalRegistry.get(schema) ?? {}
    const choices: readonly unknown[] = 'values' in schema.def ? schema.def.values : []
    const options = choices.map(
      (each) => html`<option value="${JSON.stringify(each)}" ${each === value ? html`selected` : ''}>${each}</option>`,
    )
    const form = html`<form class="inline" method="dialog" data-api="PATCH /behaviour" data-done="${name} is set" data-on-change>
<select name="${name}" data-type="json" id="switch-${name}" aria-label="${name}">${options}</select></form>`
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return html`<tr><td><code>${name}</code></td>
<td>${firstSentence(description)}</td>
<td>${choices.length > 0 ? form : html`<code>${text}</code> <small>set it by the control API</small>`}</td></tr>`
  })
  return section({
    id: 'behaviour',
    title: 'Behaviour switches',
    parts: ['world'],
    body: html`<p class="small">The specification leaves these open; <code>docs/spec-gaps.md</code> has the reasons.
A change applies at once, until a reset.</p>
${table(['Switch', 'Meaning', 'Setting'], lines)}`,
  })
}

function firstSentence(text: string): string {
  return (/^.*?(?=\.\s|\.$|: `|$)/s.exec(text)?.[0] ?? text).replaceAll('`', '')
}
