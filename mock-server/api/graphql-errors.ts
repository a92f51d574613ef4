import { GraphQLError } from 'graphql'
import type { BehaviourSwitches } from '../contract/behaviour-switches.ts'
import { Refusal } from '../world/refusal.ts'

/** An error as it will stand in an answer, its code still apart. */
export interface CodedError {
  readonly code: string
  readonly message: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
  readonly path?: readonly (string | number)[]
}

/** An error of graphql-js with the code that its class of failure has. */
export function codedError(error: GraphQLError, code: string): CodedError {
  const { message, locations, path } = error
  return { code, message, ...(locations && { locations }), ...(path && { path }) }
}

/**
 * An error that came out of executing an operation: what the world refused says so, what graphql-js found wrong with
 * arguments is the caller's, and anything else is ours and reported to nobody.
 */
export function executionError(error: GraphQLError): CodedError {
  const { originalError } = error
  if (originalError instanceof Refusal) return codedError(error, originalError.code)
  if (originalError === undefined || originalError instanceof GraphQLError) return codedError(error, 'BAD_USER_INPUT')
  return { ...codedError(error, 'INTERNAL_SERVER_ERROR'), message: 'Internal server error.' }
}

/** The error as it is sent: its code where the behaviour switches put it. */
export function sentError(error: CodedError, place: BehaviourSwitches['errorCodePlace']): object {
  const { code, ...rest } = error
  if (place === 'none') return rest
  return place === 'top-level' ? { ...rest, code } : { ...rest, extensions: { code } }
}
