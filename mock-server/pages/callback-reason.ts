import type { MockCallback } from '../generated/contract.ts'
import { count } from './row-list.ts'

/** What the callback waits behind, and whether all deliveries are paused. */
export interface Circumstances {
  readonly first: MockCallback | undefined
  readonly paused: boolean
}

/** Why a callback was not delivered yet, and what makes it go on; `null` where it was delivered. */
export function callbackReason(callback: MockCallback, circumstances: Circumstances): string | null {
  const { status, attempts } = callback
  if (status === 'delivered') return null
  if (status === 'waiting') return waitingReason(callback, circumstances)
  if (status === 'blocked') return `Blocked: ${attempts.at(-1)?.error ?? 'its host is not allowed'}`
  if (status === 'dropped') return 'A fault lost it. For the mock it is delivered.'
  const givenUp = `Given up after ${count(attempts.length, 'attempt')}. ${lastAnswer(callback)}`
  if (status === 'skipped') return `${givenUp} Later events were delivered.`
  return `${givenUp} Later events of this candidate wait until it is redelivered.`
}

function waitingReason(callback: MockCallback, { first, paused }: Circumstances): string {
  const { waitsBehind, nextAttemptAt, attempts } = callback
  if (waitsBehind !== null) {
    const name = `${first?.type ?? 'another event'} (${waitsBehind})`
    if (first?.status === 'given-up') return `It waits behind ${name}, which was given up: redeliver that one.`
    return `It waits behind ${name}.${paused ? ' Callbacks are paused.' : ''}`
  }
  if (paused) return 'Callbacks are paused: it is sent when you resume them.'
  if (nextAttemptAt === null) return 'A fault keeps it until the next event for this candidate and URL.'
  const next = `The next attempt is at ${nextAttemptAt.slice(0, 10)} ${nextAttemptAt.slice(11, 19)} UTC.`
  return attempts.length === 0 ? next : `${lastAnswer(callback)} ${next}`
}

function lastAnswer({ attempts }: MockCallback): string {
  const { status = null, error = null } = attempts.at(-1) ?? {}
  return status === null ? `There was no answer: ${error}.` : `The last answer was HTTP ${status}.`
}
