/** An invite in a response, with its candidate and its quiz. */
export interface ReturnedInvite {
  /* Unknown: a response may have anything here. */
  readonly inviteId: unknown
  readonly challengeUrl: unknown
  readonly quizId: unknown
  readonly email: string
}

/**
 * Whether a response contains an invite that this process already has for another candidate or quiz. Then the response
 * belongs to another request: on a kept connection, one extra response shifts all that follow. Remembers the other
 * invites.
 *
 * The same invite for the same candidate and quiz proves nothing: a service may return the open one again.
 */
export function belongsToAnother(endpoint: string, invites: readonly ReturnedInvite[]): boolean {
  const known = KNOWN.get(endpoint) ?? new Map<string, string>()
  KNOWN.set(endpoint, known)
  const owners = invites.flatMap(({ inviteId, challengeUrl, quizId, email }) => {
    const owner = `${email.trim().toLowerCase()}\n${String(quizId).trim()}`
    return [inviteId, challengeUrl].filter(isIdentity).map((each) => [each, owner] as const)
  })
  if (owners.some(([identity, owner]) => (known.get(identity) ?? owner) !== owner)) return true
  for (const [identity, owner] of owners) known.set(identity, owner)
  for (const oldest of known.keys()) {
    if (known.size <= MOST_KNOWN) break
    known.delete(oldest)
  }
  return false
}

const isIdentity = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/* For the whole process: its clients share connections. */
const KNOWN = new Map<string, Map<string, string>>()

/* An extra response follows soon after the first. Older invites are in the ledger, if there is one. */
const MOST_KNOWN = 2000
