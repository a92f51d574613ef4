import type { Authentication } from '../options.ts'
import type { GraphQLRequest } from '../transport/attempt.ts'
import type { Schema } from '../validation.ts'

/**
 * One operation of the API, as one value: everything that the client, the ledger, hints and the command line know of it.
 * Its result is what its field of the answer holds.
 */
export interface Operation<Input, Variables extends object, Data, Field extends keyof Data & string>
  extends GraphQLRequest<Data, Variables> {
  readonly field: Field
  readonly data: () => Schema<Data>
  /** The scope that a key needs. Source: specification, part 5. */
  readonly scope: 'CERTIFICATION_INVITE_CREATE' | 'CERTIFICATION_PACKAGE_READ'
  /** Checks what a caller wants to send. */
  readonly input: (authentication: Authentication) => Schema<Input>
  readonly variables: (input: Input) => Variables
}

/** Types an operation by its schemas. */
export const defineOperation = <Input, Variables extends object, Data, Field extends keyof Data & string>(
  operation: Operation<Input, Variables, Data, Field>,
): Operation<Input, Variables, Data, Field> => operation
