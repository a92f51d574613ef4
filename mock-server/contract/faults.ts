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
   * The identifier of the rule in the list.
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
   * Removes the rule. Requests that it has hit do not change.
   *
   * @example
   * ```ts
   * outage.remove()
   * ```
   */
  remove(): void
}

/**
 * A copy of a rule, in the list. Only a rule for callbacks has `event`.
 *
 * @example
 * ```ts
 * const spent = mock.faults.list().filter(({ left }) => left === 0)
 * ```
 */
export type FaultRecord = (FaultRule | CallbackFaultRule) & FaultProgress

/** The progress of a rule. */
export interface FaultProgress {
  /** The identifier: unique in this mock until it is reset. */
  readonly id: string
  /** How many requests, or attempts, it has hit. */
  readonly hits: number
  /** How many more it decides on, including those that it lets pass: 0 when it is used up. */
  readonly left: number
}

/**
 * The faults of a mock. Each rule hits a number of requests, and then none.
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
   * Adds a rule. Of several that match a request, the one that was added first decides, until it is used up.
   *
   * @throws Error when the rule is not valid: the message names every problem.
   * @example
   * ```ts
   * mock.faults.add({ times: 2, fault: 503 })
   * ```
   */
  add(rule: FaultRule | CallbackFaultRule): FaultHandle
  /**
   * All rules in the order in which they were added, including those that are used up.
   *
   * @example
   * ```ts
   * mock.faults.add({ fault: 'cut' })
   * expect(mock.faults.list()).toMatchObject([{ fault: 'cut', hits: 0, left: 1 }])
   * ```
   */
  list(): readonly FaultRecord[]
  /**
   * Removes one rule, by its identifier.
   *
   * @throws Error when there is no such rule.
   * @example
   * ```ts
   * for (const { id, left } of mock.faults.list()) if (left === 0) mock.faults.remove(id)
   * ```
   */
  remove(id: string): void
  /**
   * Removes all rules.
   *
   * @example
   * ```ts
   * mock.faults.clear()
   * ```
   */
  clear(): void
}
