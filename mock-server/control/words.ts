import type { MockInvite } from '../rows.ts'
import type { MockCallback } from '../sandbox/callback.ts'
import type { MockExchange } from '../sandbox/journal.ts'

/** What a row is found by when it is searched for. */
type Words = readonly (string | null)[]

export function inviteWords({ candidate, inviteId, quizId, skillName, externalReference }: MockInvite): Words {
  return [candidate.email, candidate.name, inviteId, quizId, skillName, externalReference]
}

export function callbackWords({ id, type, url, inviteId, status, body }: MockCallback): Words {
  return [id, type, url, inviteId, status, body]
}

export function requestWords({ method, target, operations, key, body, status }: MockExchange): Words {
  return [method, target, ...operations, key, body, String(status)]
}
