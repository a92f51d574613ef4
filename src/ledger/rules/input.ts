import type { Issue } from '../../index.ts'
import { createInvite } from '../../operations/create-invite.ts'
import { createPackageInvite } from '../../operations/create-package-invite.ts'
import { type Authentication, validate } from '../../validation.ts'

/** The problems of an input by the client's rules; empty for a valid one. */
export function issuesOf(input: unknown, authentication: Authentication): readonly Issue[] {
  const isPackage = typeof input === 'object' && input !== null && 'packageId' in input
  return validate((isPackage ? createPackageInvite : createInvite).input(authentication), input).issues ?? []
}
