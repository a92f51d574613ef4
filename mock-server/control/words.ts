import type { MockCallback } from '../contract/callbacks.ts'
import type { MockExchange } from '../contract/request-log.ts'
import type { MockInvite } from '../contract/rows.ts'

/** What a row is found by when it is searched for. */
type Words = readonly (string | null)[]

export function inviteWords({ candidate, inviteId, quizId, skillName, externalReference }: MockInvite): Words {
  return [candidate.email, candidate.name, inviteId, quizId, skillName, externalReference]
}

export function searchedCallback({ id, type, url, inviteId, status, body }: MockCallback): Words {
  return [id, type, url, inviteId, status, body]
}

export function requestWords({ method, target, operations, key, body, status }: MockExchange): Words {
  return [method, target, ...operations, key, body, String(status)]
}
