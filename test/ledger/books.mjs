import { emailOf, isPackage, PACKAGE_ID } from './rows.mjs'

/** @typedef {{ row: number, status: string, inviteIds: string[], code?: string | undefined }} Said */

/** Compares what processes report with what the service did. */
export class Books {
  #mock
  #rows
  /** The last report on each row, from 1. @type {Map<number, string>} */
  #last = new Map()
  /** @type {string[]} */
  #falsehoods = []
  /** The service's invites, by address. @type {Map<string, string[]>} */
  #invites = new Map()
  #seen = 0
  /** Not compared yet. @type {Said[]} */
  #said = []
  #skills

  #isAlone

  /** @param {import('../../mock-server/index.ts').MockServer} mock @param {number} rows @param {number} processes that run at once */
  constructor(mock, rows, processes) {
    this.#mock = mock
    this.#rows = rows
    this.#isAlone = processes === 1
    const packages = mock.tracks.flatMap((track) => track.packages)
    this.#skills = packages.find(({ id }) => id === PACKAGE_ID)?.quizIds.length ?? 0
  }

  /** A row was reported: whatever that says about the service must be true at this moment. */
  async note(/** @type {Said} */ said) {
    this.#last.set(said.row, said.status)
    /* The run ended before it: it says nothing about the service. */
    if (said.status === 'unknown' || said.status === 'not_started') return
    if (said.status === 'failed') {
      /* Another process may have sent it since. If this one had created it, it would be sent again: a duplicate. */
      if (!this.#isAlone) return
      const exist = await this.#countNow(said.row)
      if (exist > 0) this.#falsehoods.push(`row ${said.row} ${JSON.stringify(said)} but there are ${exist}`)
      return
    }
    /* What exists now exists later: reports are checked in batches, because listing everything takes time. */
    this.#said.push(said)
    if (this.#said.length >= 2000) this.#check()
  }

  #check() {
    this.#read()
    for (const said of this.#said.splice(0)) {
      const { row, status, inviteIds } = said
      const existing = this.#known(row)
      const isTrue = {
        created: inviteIds.length === this.#expected(row) && inviteIds.every((id) => existing.includes(id)),
        already_invited: inviteIds.length > 0 && inviteIds.every((id) => existing.includes(id)),
      }[status]
      if (isTrue !== true) this.#falsehoods.push(`row ${row} ${JSON.stringify(said)} but there are ${existing.length}`)
    }
  }

  /** Whether a run reached every row and has nothing left to retry. */
  isEnd(/** @type {{ remaining: number, counts: Record<string, number> }} */ { remaining, counts }) {
    return remaining === 0 && counts['failed'] === 0
  }

  figures() {
    const rows = Array.from({ length: this.#rows }, (_each, index) => index + 1)
    this.#check()
    const counts = rows.map((row) => this.#known(row).length / this.#expected(row))
    const unknown = rows.filter((row) => this.#last.get(row) === 'unknown')
    return {
      rows: this.#rows,
      created: counts.filter((count) => count === 1).length,
      duplicates: counts.filter((count) => count > 1).length,
      lost: rows.filter((row, index) => (counts[index] ?? 0) < 1 && this.#last.get(row) !== 'unknown').length,
      unsaid: rows.filter((row) => !this.#last.has(row)).length,
      unknown: unknown.length,
      unknownThatExist: unknown.filter((row) => this.#known(row).length > 0).length,
      falsehoods: this.#falsehoods,
    }
  }

  async #countNow(/** @type {number} */ row) {
    const response = await this.#mock.fetch(`${this.#mock.baseUrl}/__mock/invites?search=${emailOf(row)}`)
    const { total } = /** @type {{ total: number }} */ (await response.json())
    return total
  }

  #known(/** @type {number} */ row) {
    return this.#invites.get(emailOf(row)) ?? []
  }

  #read() {
    for (const { candidate, inviteId } of this.#mock.invites.slice(this.#seen)) {
      const earlier = this.#invites.get(candidate.email) ?? []
      this.#invites.set(candidate.email, [...earlier, inviteId])
      this.#seen += 1
    }
  }

  /* The number of invites that a row creates. */
  #expected(/** @type {number} */ row) {
    return isPackage(row) ? this.#skills : 1
  }
}
