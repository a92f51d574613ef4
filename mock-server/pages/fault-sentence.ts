import { html } from 'hono/html'
import type { FaultRecord } from '../contract/members.ts'
import type { CallbackFault, Fault } from '../generated/contract.ts'
import { foreign, type Markup } from './markup.ts'

/** A rule as a sentence: what it affects now, and what happens to it. */
export function faultSentence(rule: FaultRecord): Markup {
  const { left, email } = rule
  const timesLeft = Math.max(0, left)
  const [one, many] = subjectOf(rule)
  const isOne = timesLeft === 1 || (timesLeft === Infinity && rule.probability === undefined)
  const candidate = email === undefined ? '' : html` for ${foreign(email, 'beginning')}`
  const who = html`${candidate}${'key' in rule ? ` with the key ${rule.key}` : ''}`
  const what = whatHappens(rule, timesLeft) + effectOf(rule, isOne)
  if (left <= 0) return html`Used up. ${upperCased(many)}${who}: ${whatHappens(rule, 0)}${effectOf(rule, false)}.`
  const howMany = quantity(rule, timesLeft, isOne ? one : many)
  const inTurn = rule.script && timesLeft > 1 ? ', in turn' : ''
  return html`${upperCased(howMany)}${who}${inTurn}: ${what}.`
}

function quantity({ probability }: FaultRecord, times: number, subject: string): string {
  if (probability !== undefined && probability < 1) {
    const share = `${Math.round(probability * 1000) / 10} % of all ${subject}`
    return times === Infinity ? share : `${share}, ${times} in all`
  }
  if (times === Infinity) return `every ${subject}`
  return times === 1 ? `the next ${subject}` : `the next ${times} ${subject}`
}

function subjectOf(rule: FaultRecord): readonly [one: string, many: string] {
  if ('event' in rule) return rule.event === 'any' ? CALLBACK : [`callback ${rule.event}`, `callbacks ${rule.event}`]
  return SUBJECTS[rule.operation ?? ''] ?? ['request', 'requests']
}

const CALLBACK = ['callback', 'callbacks'] as const

const SUBJECTS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  developerCreateCertificationInvite: ['create', 'creates'],
  developerCreateCertificationPackageInvite: ['package create', 'package creates'],
  developerCertificationPackageTracks: ['listing', 'listings'],
}

/** The fault; of a script, those that are left. */
function whatHappens({ fault, script }: FaultRecord, timesLeft: number): string {
  if (!script) return fault === undefined ? 'nothing' : faultWords(fault)
  return script
    .slice(timesLeft === 0 ? 0 : script.length - timesLeft)
    .map(faultWords)
    .join(', ')
}

/** Whether the request has an effect. A late answer is always that of an effect. */
function effectOf(rule: FaultRecord, isOne: boolean): string {
  if ('event' in rule || [rule.fault, rule.script].flat().every(isLate)) return ''
  if (!('phase' in rule) || rule.phase !== 'after') return `, before ${isOne ? 'it takes' : 'they take'} effect`
  return ` after ${isOne ? 'it' : 'they'} took effect`
}

function isLate(fault: unknown): boolean {
  return fault === undefined || 'delayMs' in Object(fault)
}

function faultWords(fault: Fault | CallbackFault | 'ok'): string {
  if (typeof fault === 'number') return `HTTP ${fault}`
  if (typeof fault === 'string') return WORDS[fault]
  if ('delay' in fault) return `delivered ${fault.delay}${typeof fault.delay === 'number' ? ' ms' : ''} later`
  if ('code' in fault) return `the error ${fault.code}`
  if ('status' in fault) {
    const headers = Object.entries(fault.headers ?? {}).map(([name, value]) => `${name} ${value}`)
    return `HTTP ${fault.status}${headers.length === 0 ? '' : ` with ${headers.join(' and ')}`}`
  }
  return `answered ${fault.delayMs / 1000} s late`
}

const WORDS: Readonly<Record<Extract<Fault | CallbackFault | 'ok', string>, string>> = {
  ok: 'nothing',
  cut: 'cut',
  reset: 'reset',
  hang: 'no response',
  stall: 'half a response, then nothing',
  truncate: 'half a response, then the end',
  refuse: 'connection refused',
  drop: 'lost',
  duplicate: 'delivered twice',
  reorder: 'delivered after the next one',
  forged: 'a forged copy arrives first',
  truncated: 'cut in half',
  huge: 'padded to five megabytes',
}

function upperCased(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
