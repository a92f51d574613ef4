import type { Issue } from '../../index.ts'
import { createInvite } from '../../operations/create-invite.ts'
import { createPackageInvite } from '../../operations/create-package-invite.ts'
import { validate } from '../../validation.ts'
import type { SendInput } from './entry.ts'

/** What is wrong with an input by the rules of the client; empty where nothing is. */
export function issuesOf(input: unknown): readonly Issue[] {
  const isPackage = typeof input === 'object' && input !== null && 'packageId' in input
  return validate((isPackage ? createPackageInvite : createInvite).input('api-key'), input).issues ?? []
}

/** The input as it is now, whatever its owner does with it later, without what is not set. */
export function copyOf<Input extends SendInput>(input: Input): Input {
  return JSON.parse(JSON.stringify(input)) as Input
}
