import type { GraphQLRequest } from '../transport/attempt.ts'
import type { Authentication, Schema } from '../validation.ts'

/**
 * One operation of the API, with everything that the client, the ledger, the hints and the CLI need. Its result is the
 * value of its field in the response.
 */
export interface Operation<Input, Variables extends object, Data, Field extends keyof Data & string>
  extends GraphQLRequest<Data, Variables> {
  readonly field: Field
  readonly data: () => Schema<Data>
  /** The scope that a key needs. Source: specification, part 5. */
  readonly scope: `CERTIFICATION_${string}`
  /** Checks a caller's input. */
  readonly input: (authentication: Authentication) => Schema<Input>
  readonly variables: (input: Input) => Variables
}

/** Infers the types of an operation from its schemas. */
export const defineOperation = <Input, Variables extends object, Data, Field extends keyof Data & string>(
  operation: Operation<Input, Variables, Data, Field>,
): Operation<Input, Variables, Data, Field> => operation
