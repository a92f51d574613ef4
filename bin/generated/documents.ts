// Made by `npm run codegen` from mock-server/schema.graphql, operations/ and mock-server/contract/. Do not edit.
export const documents: readonly string[] = [
  "mutation CreateInvite($input: DeveloperCreateCertificationInviteInput!) {\n  developerCreateCertificationInvite(input: $input) {\n    inviteId\n    status\n    challengeUrl\n    expiresAt\n    emailSent\n  }\n}",
  "mutation CreatePackageInvite($input: DeveloperCreateCertificationPackageInviteInput!) {\n  developerCreateCertificationPackageInvite(input: $input) {\n    packageId\n    packageName\n    invites {\n      quizId\n      skillName\n      level\n      inviteId\n      status\n      challengeUrl\n      expiresAt\n      emailSent\n    }\n  }\n}",
  "query PackageTracks($search: String, $trackSlug: String) {\n  developerCertificationPackageTracks(search: $search, trackSlug: $trackSlug) {\n    id\n    name\n    slug\n    packages {\n      id\n      name\n      level\n      description\n      skills {\n        quizId\n        skillName\n        level\n        durationMinutes\n        enabledLanguages\n        conceptsTested\n      }\n    }\n  }\n}"
]
