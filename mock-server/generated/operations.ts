// Made by `npm run codegen` from mock-server/schema.graphql and operations/. Do not edit.
/** The operations of the service, and the scope that each needs. */
export const SCOPE_OF = {
  developerCertificationPackageTracks: 'CERTIFICATION_PACKAGE_READ',
  developerCreateCertificationInvite: 'CERTIFICATION_INVITE_CREATE',
  developerCreateCertificationPackageInvite: 'CERTIFICATION_INVITE_CREATE',
} as const

/** The name of an operation of the service. */
export type OperationName = keyof typeof SCOPE_OF

/** A permission of a key or of a session. */
export type Scope = (typeof SCOPE_OF)[OperationName]

/** The names of the operations. */
export const OPERATIONS = [
  'developerCertificationPackageTracks',
  'developerCreateCertificationInvite',
  'developerCreateCertificationPackageInvite',
] as const satisfies readonly OperationName[]
