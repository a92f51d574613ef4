// Made by `npm run codegen` from mock-server/schema.graphql and operations/. Do not edit.
/** The name of an operation of the service. */
export type OperationName =
  | 'developerCertificationPackageTracks'
  | 'developerCreateCertificationInvite'
  | 'developerCreateCertificationPackageInvite'
