import type { MockCallback } from '../contract/callbacks.ts'
import { count } from './row-list.ts'

/** Why a callback was not delivered yet, and what makes it go on; `null` where it was delivered. */
export function callbackReason(
  { status, nextAttemptAt, waitsBehind, attempts }: MockCallback,
  { first, paused }: { readonly first: MockCallback | undefined; readonly paused: boolean },
): string | null {
  const last = attempts.at(-1)
  const answer = last && (last.status === null ? `${last.error}` : `the last answer was HTTP ${last.status}`)
  switch (status) {
    case 'delivered':
      return null
    case 'blocked':
      return `Blocked: ${last?.error ?? 'its host is not allowed'}`
    case 'dropped':
      return 'A fault lost it. For the mock it is delivered.'
    case 'skipped':
      return `Given up after ${count(attempts.length, 'attempt')}; ${answer}. Later events were delivered.`
    case 'given-up':
      return `Given up after ${count(attempts.length, 'attempt')}; ${answer}. Later events of this candidate wait until it is redelivered.`
    case 'waiting': {
      if (waitsBehind !== null) {
        const name = `${first?.type ?? 'another event'} (${waitsBehind})`
        if (first?.status === 'given-up') return `It waits behind ${name}, which was given up: redeliver that one.`
        return `It waits behind ${name}.${paused ? ' Callbacks are paused.' : ''}`
      }
      if (paused) return 'Callbacks are paused: it is sent when you resume them.'
      if (nextAttemptAt === null) return 'A fault keeps it until the next event for this candidate and URL.'
      const when = `he next attempt is at ${nextAttemptAt.slice(0, 10)} ${nextAttemptAt.slice(11, 19)} UTC.`
      return answer === undefined ? `T${when}` : `${answer[0]?.toUpperCase()}${answer.slice(1)}. T${when}`
    }
  }
}
