import { GraphQLError } from 'graphql'
import type { BehaviourSwitches } from '../generated/contract.ts'
import { Refusal } from '../world/refusal.ts'

/** An error of an answer, before its code is put in its place. */
export interface CodedError {
  readonly code: string
  readonly message: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
  readonly path?: readonly (string | number)[]
}

export function codedError(error: GraphQLError, code: string): CodedError {
  const { message, locations, path } = error
  return { code, message, ...(locations && { locations }), ...(path && { path }) }
}

/**
 * Codes an error of the execution. A refusal of the world has its own code. Arguments that graphql-js rejects are the
 * caller's error. Anything else is a bug of the mock, whose message is not sent.
 */
export function executionError(error: GraphQLError): CodedError {
  const { originalError } = error
  if (originalError instanceof Refusal) return codedError(error, originalError.code)
  if (originalError === undefined || originalError instanceof GraphQLError) return codedError(error, 'BAD_USER_INPUT')
  return { ...codedError(error, 'INTERNAL_SERVER_ERROR'), message: 'Internal server error.' }
}

/** The error as it is sent, with its code in the place that the switch `errorCodePlace` says. */
export function sentError(error: CodedError, place: BehaviourSwitches['errorCodePlace']): object {
  const { code, ...rest } = error
  if (place === 'none') return rest
  return place === 'top-level' ? { ...rest, code } : { ...rest, extensions: { code } }
}
