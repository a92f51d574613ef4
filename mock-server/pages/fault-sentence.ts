import { html } from 'hono/html'
import type { FaultRecord } from '../contract/members.ts'
import type { CallbackFault, Fault } from '../generated/contract.ts'
import { foreign, type Markup } from './markup.ts'

/** A rule as a sentence: what it affects, and what happens to it. How often it applies is shown beside it. */
export function faultSentence(rule: FaultRecord): Markup {
  const { email, probability = 1, script } = rule
  const share = probability < 1 ? `${Math.round(probability * 1000) / 10} % of the ` : ''
  const candidate = email === undefined ? '' : html` for ${foreign(email, 'beginning')}`
  const key = 'key' in rule ? ` with the key ${rule.key}` : ''
  const what = script ? `in turn ${script.map(faultWords).join(', ')}` : faultWords(rule.fault ?? 'ok')
  return html`${upperCased(share + subjectOf(rule))}${candidate}${key}: ${what}${effectOf(rule)}.`
}

function subjectOf(rule: FaultRecord): string {
  if ('event' in rule) return rule.event === 'any' ? 'callbacks' : `callbacks ${rule.event}`
  return SUBJECTS[rule.operation ?? ''] ?? 'requests'
}

const SUBJECTS: Readonly<Record<string, string>> = {
  developerCreateCertificationInvite: 'creates',
  developerCreateCertificationPackageInvite: 'package creates',
  developerCertificationPackageTracks: 'listings',
}

/** Whether the request has an effect. A late answer always follows an effect. */
function effectOf(rule: FaultRecord): string {
  const faults = [rule.fault, rule.script].flat().filter((fault) => fault !== undefined)
  if ('event' in rule || faults.every((fault) => 'delayMs' in Object(fault))) return ''
  return 'phase' in rule && rule.phase === 'after' ? ' after they took effect' : ', before they take effect'
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
