/**
 * A rule of the ledger or of the client, broken by a change to its source.
 *
 * @typedef {{ rule: string, file: string, from: string, to: string, in: [scenario: string, faults: number] }} Mutant
 *   `from` occurs once in `file`; `in` is a scenario that detects it, with its number of faults
 */

const ledger = 'src/ledger/ledger.ts'
const settling = 'src/ledger/rules/settling.ts'
const resolving = 'src/ledger/rules/resolving.ts'

/** @type {readonly Mutant[]} */
export const MUTANTS = [
  {
    rule: 'a claim locks its candidate',
    file: ledger,
    from: 'Promise.all(locked.map((each) =>',
    to: 'Promise.all(locked.slice(1).map((each) =>',
    in: ['two workers', 0],
  },
  {
    rule: 'a change locks the candidate of its record',
    file: ledger,
    from: "tx.lockFound(\n      `SELECT 'candidate ' || email_key AS name FROM certify_sends WHERE id = ${ANSWERING}`,\n      reference,\n      reference,\n    )",
    to: 'findRecord(tx, reference).then((each) => each && `candidate ${each.emailKey}`)',
    in: ['two workers', 1],
  },
  {
    rule: 'a change reads its record under the lock',
    file: ledger,
    from: 'const [locked, , now, record, others] =',
    to: 'const record = await findRecord(tx, reference); const [locked, , now, , others] =',
    in: ['one worker', 1],
  },
  {
    rule: 'a change reads the time under the lock',
    file: ledger,
    from: 'const [locked, , now, record, others] =',
    to: 'const now = await tx.now(); const [locked, , , record, others] =',
    in: ['two workers', 2],
  },
  {
    rule: 'an invite is recorded under its lock',
    file: ledger,
    from: 'Promise.all(ids.map(',
    to: 'Promise.all(ids.slice(ids.length).map(',
    in: ['two candidates', 1],
  },
  {
    rule: 'a record whose lease has expired is unknown, not free',
    file: settling,
    from: "withChange({ ...record, state: 'unknown' }",
    to: "withChange({ ...record, state: 'not-executed' }",
    in: ['two workers', 1],
  },
  {
    rule: 'a later failure does not replace a created invite',
    file: settling,
    from: "const isOpen = record.state === 'sending' || record.state === 'unknown'",
    to: 'const isOpen = true',
    in: ['one worker', 3],
  },
  {
    rule: 'a claim recognizes its own record by its owner',
    file: ledger,
    from: 'own?.owner === owner && own.state',
    to: 'own !== undefined && own.state',
    in: ['two workers, one reference', 0],
  },
  {
    rule: 'a claim whose commit was not acknowledged recognizes its own record',
    file: ledger,
    from: "own?.owner === owner && own.state === 'sending'",
    to: 'false',
    in: ['one worker', 1],
  },
  {
    rule: 'a claim does not send what others have seen as unknown',
    file: ledger,
    from: " && own.state === 'sending'",
    to: '',
    in: ['two workers', 2],
  },
  {
    rule: 'a change whose commit was not acknowledged is not decided again',
    file: ledger,
    from: 'return other !== undefined && recordText(one) === recordText(other)',
    to: 'return other !== undefined && JSON.stringify(one) === JSON.stringify(other)',
    in: ['one worker', 3],
  },
  {
    rule: 'a record in flight cannot be resolved',
    file: resolving,
    from: "const isUnknown = state === 'unknown'",
    to: "const isUnknown = state === 'unknown' || state === 'sending'",
    in: ['one worker', 1],
  },
  {
    rule: 'a finding settles the create that the person has looked at, not a later one of the same reference',
    file: resolving,
    from: 'if (of !== undefined && new Date(of).getTime() !== record.sentAt)',
    to: 'if (of === null)',
    in: ['one reference, and a person in between', 3],
  },
  {
    rule: 'an event leaves a record in flight as it is',
    file: 'src/ledger/rules/record-event.ts',
    from: 'settledByEvents(next, now)',
    to: "settledByEvents({ ...next, ...(record.state === 'sending' && { state: 'not-executed' }), results: [] }, now)",
    in: ['one worker', 1],
  },
  {
    rule: 'a create is not sent again after an unknown outcome',
    file: 'src/transport/failures.ts',
    from: "return retry === 'always' || (retry === 'queries' && kind === 'query')",
    to: "return retry === 'always' || (retry === 'queries' && kind !== undefined)",
    in: ['one worker', 1],
  },
  {
    rule: 'nothing is claimed while the clock is behind',
    file: ledger,
    from: 'now < newest.sentAt - MAX_CLOCK_SKEW_MS',
    to: 'now < newest.sentAt - 100 * 86_400_000',
    in: ['one worker', 3],
  },
  {
    rule: 'an assumed expiry uses the ledger’s clock, not the caller’s',
    file: settling,
    from: 'isUsable(invite) ? invite',
    to: 'isUsable(invite) || invite.expiryAssumed === true ? invite',
    in: ['no expiry, and a worker whose clock is behind', 0],
  },
  {
    rule: 'an assumed expiry is never before the create',
    file: settling,
    from: 'Math.max(now, record.sentAt) + LINK_LIFETIME_MS',
    to: 'now + LINK_LIFETIME_MS',
    in: ['no expiry, and a worker whose clock is behind', 1],
  },
  {
    rule: 'a settlement after the lease is reported as late',
    file: settling,
    from: "return hasLapsed || (leaseUntil <= now && !wasSettled) ? 'late' : 'recorded'",
    to: "return hasLapsed && leaseUntil > now ? 'late' : 'recorded'",
    in: ['two workers', 1],
  },
  {
    rule: 'a response settles the claim that it belongs to, not a later one of the same reference',
    file: ledger,
    from: 'record.owner === owner ? settled : settledEarlier',
    to: 'settled',
    in: ['one reference, and a person in between', 3],
  },
  {
    rule: 'only a record with which nothing was created is replaced',
    file: 'src/ledger/rules/claiming.ts',
    from: 'return hasNothing(own) && (',
    to: "return own.state !== 'created' && own.state !== 'sending' && (",
    in: ['two candidates, one reference', 1],
  },
  {
    rule: 'the candidate of a record that is replaced is locked, too',
    file: ledger,
    from: 'if (own !== undefined && !isTaken && !locked.includes(own.emailKey))',
    to: 'if (false)',
    in: ['two candidates, one reference', 1],
  },
  {
    rule: 'a record is removed only if it proves that nothing was created',
    file: settling,
    from: "if (state !== 'not-executed') return false",
    to: "if (state === 'created') return false",
    in: ['one worker, two deliveries', 1],
  },
  {
    rule: 'an expired lease is recorded',
    file: ledger,
    from: 'for (const record of related) if (!recorded.includes(record)) updateRecord(tx, record)',
    to: '',
    in: ['two workers', 2],
  },
]
