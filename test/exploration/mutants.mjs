/**
 * A rule of the ledger, of its store, or of the client, broken by a change to its source.
 *
 * @typedef {{ rule: string, file: string, from: string, to: string, scenario: string, faults: number }} Mutant
 *   `from` stands in `file` once; `scenario` is one in which it is noticed, with so many faults
 */

const claims = 'src/ledger/store/create-ledger.ts'
const settling = 'src/ledger/rules/settling.ts'
const store = 'test/exploration/memory-store.ts'

/** @type {readonly Mutant[]} */
export const MUTANTS = [
  {
    rule: 'a claim compares the last send of its candidate',
    file: store,
    from: 'if (last !== (this.#last.get(candidateKey(scope, emailKey)) ?? 0)) return false',
    to: '',
    scenario: 'two workers',
    faults: 0,
  },
  {
    rule: 'a send whose lease is over is unknown, not free',
    file: settling,
    from: "settledByEvents({ ...send, state: 'unknown' }, now)",
    to: "settledByEvents({ ...send, state: 'not-executed' }, now)",
    scenario: 'two workers',
    faults: 1,
  },
  {
    rule: 'a later failure does not replace a created invite',
    file: settling,
    from: "const isOpen = send.state === 'sending' || send.state === 'unknown'",
    to: 'const isOpen = true',
    scenario: 'one worker',
    faults: 3,
  },
  {
    rule: 'a send is replaced only if it is still as it was read',
    file: store,
    from: 'if (this.#sends.get(send.reference)?.version !== facts.version) return false',
    to: '',
    scenario: 'two workers',
    faults: 1,
  },
  {
    rule: 'a claim knows its own send by its owner',
    file: claims,
    from: 'send.reference === request.reference && send.owner === owner',
    to: 'send.reference === request.reference',
    scenario: 'two workers, one reference',
    faults: 0,
  },
  {
    rule: 'an add of which nobody knows is not a claim',
    file: claims,
    from: 'if (await this.#store.add(newSend(request, owner, now), last)) return CLAIMED',
    to: 'if (await this.#store.add(newSend(request, owner, now), last).then(() => true)) return CLAIMED',
    scenario: 'two workers',
    faults: 0,
  },
  {
    rule: 'a send that is on its way cannot be resolved',
    file: settling,
    from: "return state === 'unknown' || (ids",
    to: "return state === 'unknown' || state === 'sending' || (ids",
    scenario: 'one worker',
    faults: 1,
  },
  {
    rule: 'an event leaves a send that is on its way as it is',
    file: 'src/ledger/rules/record-event.ts',
    from: ': settledByEvents(changed, now)',
    to: ": settledByEvents({ ...changed, ...(changed.state === 'sending' && { state: 'not-executed' }), named: [] }, now)",
    scenario: 'one worker',
    faults: 1,
  },
  {
    rule: 'a create is not sent again after an unknown outcome',
    file: 'src/transport/retry.ts',
    from: "return retry === 'always' || (retry === 'queries' && kind === 'query')",
    to: "return retry === 'always' || (retry === 'queries' && kind !== undefined)",
    scenario: 'one worker',
    faults: 1,
  },
  {
    rule: 'nothing is claimed while the clock is behind',
    file: claims,
    from: 'now < latest - MOST_SKEW_MS',
    to: 'now < latest - 100 * 86_400_000',
    scenario: 'one worker',
    faults: 3,
  },
  {
    rule: 'a claim whose lease is over may not send',
    file: claims,
    from: "isOwn(send) && send.state === 'sending' && !isLeaseOver(send, now)",
    to: 'isOwn(send)',
    scenario: 'one worker',
    faults: 3,
  },
  {
    rule: 'a finding that was recorded is not refused',
    file: claims,
    from: 'return state === send.state && settledAt === send.settledAt',
    to: 'return Date.now() < 0 && settledAt === send.settledAt',
    scenario: 'one worker',
    faults: 3,
  },
  {
    rule: 'an assumed expiry is that of the ledger, not of the caller',
    file: settling,
    from: 'isUsable(invite) ? invite',
    to: 'isUsable(invite) || invite.expiryAssumed === true ? invite',
    scenario: 'no expiry, and a worker whose clock is behind',
    faults: 0,
  },
  {
    rule: 'an assumed expiry is never before that of the send',
    file: settling,
    from: 'Math.max(now, send.sentAt) + LINK_LIFETIME_MS',
    to: 'now + LINK_LIFETIME_MS',
    scenario: 'no expiry, and a worker whose clock is behind',
    faults: 1,
  },
  {
    rule: 'an invite has one owner, also if two record it at once',
    file: store,
    from: 'return Object.entries(facts.owners).every(([id, owner]) => (this.#owners.get(id) ?? 0) === owner)',
    to: 'return true',
    scenario: 'two candidates',
    faults: 1,
  },
  {
    rule: 'a settlement after the lease is told as late',
    file: settling,
    from: "return hasLapsed || (leaseUntil <= now && !wasSettled) ? 'late' : 'recorded'",
    to: "return hasLapsed && leaseUntil > now ? 'late' : 'recorded'",
    scenario: 'two workers',
    faults: 1,
  },
]
