import type { CallbackFaultRule, FaultRule } from './fault-rules.ts'

/**
 * A rule that was added.
 *
 * @example
 * ```ts
 * const { hits } = mock.faults.add({ fault: 'cut' })
 * ```
 */
export interface FaultHandle {
  /**
   * What the rule is called in the list.
   *
   * @example
   * ```ts
   * mock.faults.list().find(({ id }) => id === outage.id)
   * ```
   */
  readonly id: string
  /**
   * How many requests it has hit so far.
   *
   * @example
   * ```ts
   * expect(outage.hits).toBe(0)
   * ```
   */
  readonly hits: number
  /**
   * Takes the rule away. Requests that it has hit already stay as they are.
   *
   * @example
   * ```ts
   * outage.remove()
   * ```
   */
  remove(): void
}

/**
 * A rule as the list shows it: a copy. `event` stands in those for callbacks alone.
 *
 * @example
 * ```ts
 * const spent = mock.faults.list().filter(({ left }) => left === 0)
 * ```
 */
export type FaultRecord = (FaultRule | CallbackFaultRule) & FaultProgress

/** How far a rule is. */
export interface FaultProgress {
  /** What the rule is called: no two rules of a mock have had the same, until it is reset. */
  readonly id: string
  /** How many requests, or attempts, it has hit. */
  readonly hits: number
  /** How many more it decides on, those included that it lets pass: 0 when it is spent. */
  readonly left: number
}

/**
 * The faults of a mock. They are counted: a rule that is spent changes nothing any more.
 *
 * @example
 * ```ts
 * mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' })
 * await client.invites.create({ quizId, candidate }).catch(({ outcome }) => outcome) // 'unknown'
 * expect(mock.outbox).toHaveLength(1)
 * ```
 */
export interface MockFaults {
  /**
   * Adds a rule. Of several, the first one added that fits a request and is not spent decides it alone.
   *
   * @throws Error when the rule cannot be played; it names everything that is wrong with it.
   * @example
   * ```ts
   * mock.faults.add({ times: 2, fault: 503 })
   * ```
   */
  add(rule: FaultRule | CallbackFaultRule): FaultHandle
  /**
   * All rules in the order in which they were added, spent ones included.
   *
   * @example
   * ```ts
   * mock.faults.add({ fault: 'cut' })
   * expect(mock.faults.list()).toMatchObject([{ fault: 'cut', hits: 0, left: 1 }])
   * ```
   */
  list(): readonly FaultRecord[]
  /**
   * Takes one rule away, by what the list calls it.
   *
   * @throws Error when there is no such rule.
   * @example
   * ```ts
   * for (const { id, left } of mock.faults.list()) if (left === 0) mock.faults.remove(id)
   * ```
   */
  remove(id: string): void
  /**
   * Takes all rules away.
   *
   * @example
   * ```ts
   * mock.faults.clear()
   * ```
   */
  clear(): void
}
