/** An invite in an answer, and what makes it one send's own: the candidate and the quiz. */
export interface ReturnedInvite {
  /* Unknown: an answer may have anything there. */
  readonly inviteId: unknown
  readonly challengeUrl: unknown
  readonly quizId: unknown
  readonly email: string
}

/**
 * Whether an answer holds an invite that this process was already given for another candidate or quiz. Then it is the
 * answer to another request: on a kept connection one answer too many shifts all that follow. Remembers the others.
 *
 * The same invite for the same candidate and quiz is no sign of that: a service may return the one that is still open.
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

const isIdentity = (value: unknown): value is string => typeof value === 'string' && value !== ''

/* Of the whole process: its clients share connections. */
const KNOWN = new Map<string, Map<string, string>>()

/* An answer too many follows soon after the first. What came long before is in the ledger, where there is one. */
const MOST_KNOWN = 2000
