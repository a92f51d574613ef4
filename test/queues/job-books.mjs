/** The candidate of a job. @param {string} reference */
export const emailOf = (reference) => `${reference}@example.com`

/** What a job reports: an invite, or the code of its failure. @param {{ inviteId?: string, code?: string }} said */
export function endOf({ inviteId, code = 'none' }) {
  if (inviteId !== undefined) return { status: 'created', inviteIds: [inviteId] }
  /* Known from an event only: there is no link, and so no result to return. */
  if (code === 'ALREADY_INVITED') return { status: 'invited', inviteIds: [] }
  const status = UNKNOWN.has(code) ? 'unknown' : code === 'BAD_USER_INPUT' ? 'refused' : `given up: ${code}`
  return { status, inviteIds: [] }
}

const UNKNOWN = new Set([
  'CONNECTION_LOST',
  'TIMED_OUT',
  'SERVER_FAULT',
  'RESPONSE_UNREADABLE',
  'RESPONSE_MISMATCHED',
  'PRIOR_OUTCOME_UNKNOWN',
])

/** Compares what jobs report with what the service did. */
export class JobBooks {
  #mock
  /** The last report of each job. @type {Map<string, { status: string, inviteIds: readonly string[] }>} */
  #last = new Map()
  /** @type {string[]} */
  #falsehoods = []

  /** @param {import('../../mock-server/index.ts').MockServer} mock */
  constructor(mock) {
    this.#mock = mock
  }

  /** Records how jobs ended, and checks it at once. The best of several ends of one job counts. */
  compare(/** @type {readonly import('./survival.mjs').End[]} */ ends) {
    /** @type {Map<string, import('./survival.mjs').End>} */
    const best = new Map()
    for (const end of ends) {
      const other = best.get(end.reference)
      if (other === undefined || rank(end) < rank(other)) best.set(end.reference, end)
    }
    const invites = this.#invites()
    for (const { reference, status, inviteIds } of best.values()) {
      const existing = invites.get(emailOf(reference)) ?? []
      const isTrue = {
        created: existing.length === 1 && inviteIds.length === 1 && inviteIds[0] === existing[0],
        invited: existing.length === 1,
        unknown: existing.length <= 1,
        refused: existing.length === 0,
      }[status]
      if (isTrue !== true) this.#falsehoods.push(`${reference} is ${status}, but there are ${existing.length}`)
      this.#last.set(reference, { status, inviteIds })
    }
    const those = (/** @type {string} */ status) =>
      [...best.values()].filter((end) => end.status === status).map(({ reference }) => reference)
    return { unknown: those('unknown'), refused: those('refused') }
  }

  /** @param {readonly { reference: string }[]} jobs */
  figures(jobs) {
    const invites = this.#invites()
    const counts = jobs.map(({ reference }) => invites.get(emailOf(reference))?.length ?? 0)
    const isSaid = (/** @type {string} */ reference, /** @type {number} */ count) =>
      (count === 0 ? ['refused'] : ['created', 'invited']).includes(this.#last.get(reference)?.status ?? '')
    return {
      created: counts.filter((count) => count === 1).length,
      duplicates: counts.filter((count) => count > 1).length,
      lost: jobs.filter(({ reference }, index) => !isSaid(reference, counts[index] ?? 0)).length,
      falsehoods: this.#falsehoods,
    }
  }

  #invites() {
    /** @type {Map<string, string[]>} */
    const invites = new Map()
    for (const { candidate, inviteId } of this.#mock.invites) {
      invites.set(candidate.email, [...(invites.get(candidate.email) ?? []), inviteId])
    }
    return invites
  }
}

const RANKS = ['created', 'invited', 'unknown', 'refused']

function rank(/** @type {import('./survival.mjs').End} */ { status }) {
  return RANKS.indexOf(status) === -1 ? RANKS.length : RANKS.indexOf(status)
}
