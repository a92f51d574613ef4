import type { WorldData } from '../world/model.ts'
import type { BehaviourSwitches } from './behaviour-switches.ts'

/**
 * The data that a world begins with, as `createMockServer` takes it and as it is in a file. The default of each part is the
 * documented one. Your own `quizzes` replace the documented tracks and candidates too, and your own `tracks` the documented
 * candidates.
 *
 * @example
 * ```ts
 * const world: MockWorld = { candidates: [{ email: 'ines@candidate.test', attempts: [{ quizId }] }] }
 * ```
 */
export interface MockWorld extends Partial<WorldData> {
  /** The address of the JSON Schema, for editors. The mock ignores it. */
  readonly $schema?: string | undefined
  /** Behaviour switches. The option `behaviour` of `createMockServer` overrides them. */
  readonly behaviour?: Partial<BehaviourSwitches> | undefined
}
