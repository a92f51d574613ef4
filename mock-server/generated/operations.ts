// Made by `npm run codegen` from mock-server/schema.graphql, operations/ and mock-server/contract/. Do not edit.
/** The names of the operations of the service. */
export const OPERATIONS = [
  'developerCertificationPackageTracks',
  'developerCreateCertificationInvite',
  'developerCreateCertificationPackageInvite',
] as const

/** The name of an operation of the service. */
export type OperationName = (typeof OPERATIONS)[number]
