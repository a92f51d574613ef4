// Made by `npm run codegen` from mock-server/schema.graphql and operations/. Do not edit.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocument } from '../transport/graphql.ts'
/** The person who is invited. */
export type Candidate = {
  /** Where the invite goes. Must be a syntactically valid e-mail address. */
  readonly email: string;
  /** The candidate's name. Our choice: optional, because the specification does not say that it is required. */
  readonly name?: string | undefined;
};

/**
 * The state of an invite. PENDING is the state at creation and the only one that the specification shows; a client must
 * accept values that it has never seen.
 */
export type CertificationInviteStatus =
  | 'PENDING';

/**
 * A level of proficiency. The specification shows BEGINNER as a value and names the four steps of a track; the other three
 * spellings are our choice, and a client must accept values that it has never seen.
 */
export type CertificationLevel =
  | 'ADVANCED'
  | 'BEGINNER'
  | 'EXPERT'
  | 'INTERMEDIATE';

/** The input to invite one candidate to one quiz. */
export type DeveloperCreateCertificationInviteInput = {
  /** Where events about this invite are sent: a URL that starts with https://. Only with an API key, never in an admin session. */
  readonly callbackUrl?: string | undefined;
  /** Who is invited. */
  readonly candidate: Candidate;
  /** Your own reference for this invite. A follow-up attempt inherits it. */
  readonly externalReference?: string | undefined;
  /**
   * The quiz: `levels[].quizId` of the catalog. It must be READY at this moment. The specification shows no operation for
   * the catalog; in practice the ids can be seen in the listing of tracks, where they are informational.
   */
  readonly quizId: string;
  /**
   * `false` keeps the service from sending the e-mail: the caller then has the only copy of the link. Absent means `true`.
   * Our choice: an explicit null counts as absent.
   */
  readonly sendInviteEmail?: boolean | undefined;
};

/** The input to invite one candidate to every skill of one package. */
export type DeveloperCreateCertificationPackageInviteInput = {
  /** As for a single invite; set on every invite that this request creates. */
  readonly callbackUrl?: string | undefined;
  /** Who is invited. */
  readonly candidate: Candidate;
  /** The package, by the identifier that the listing gives. */
  readonly packageId: string;
  /**
   * As for a single invite, for every skill: each link travels in an e-mail of its own. Our choice: an explicit null counts
   * as absent.
   */
  readonly sendInviteEmail?: boolean | undefined;
};

export type CreateInviteMutationVariables = Exact<{
  input: DeveloperCreateCertificationInviteInput;
}>;


export type CreateInviteMutation = { readonly developerCreateCertificationInvite: { readonly inviteId: string, readonly status: CertificationInviteStatus | null, readonly challengeUrl: string, readonly expiresAt: string | null, readonly emailSent: boolean | null } };

export type CreatePackageInviteMutationVariables = Exact<{
  input: DeveloperCreateCertificationPackageInviteInput;
}>;


export type CreatePackageInviteMutation = { readonly developerCreateCertificationPackageInvite: { readonly packageId: string, readonly packageName: string | null, readonly invites: ReadonlyArray<{ readonly quizId: string, readonly skillName: string | null, readonly level: CertificationLevel | null, readonly inviteId: string, readonly status: CertificationInviteStatus | null, readonly challengeUrl: string, readonly expiresAt: string | null, readonly emailSent: boolean | null }> } };

export type PackageTracksQueryVariables = Exact<{
  search?: string | undefined;
  trackSlug?: string | undefined;
}>;


export type PackageTracksQuery = { readonly developerCertificationPackageTracks: ReadonlyArray<{ readonly id: string, readonly name: string | null, readonly slug: string, readonly packages: ReadonlyArray<{ readonly id: string, readonly name: string | null, readonly level: CertificationLevel | null, readonly description: string | null, readonly skills: ReadonlyArray<{ readonly quizId: string, readonly skillName: string | null, readonly level: CertificationLevel | null, readonly durationMinutes: number | null, readonly enabledLanguages: ReadonlyArray<string> | null, readonly conceptsTested: ReadonlyArray<string> | null }> }> }> };

export const CreateInviteDocument = 'mutation CreateInvite($input:DeveloperCreateCertificationInviteInput!){developerCreateCertificationInvite(input:$input){inviteId status challengeUrl expiresAt emailSent}}' as TypedDocument<CreateInviteMutation, CreateInviteMutationVariables>

export const CreatePackageInviteDocument = 'mutation CreatePackageInvite($input:DeveloperCreateCertificationPackageInviteInput!){developerCreateCertificationPackageInvite(input:$input){packageId packageName invites{quizId skillName level inviteId status challengeUrl expiresAt emailSent}}}' as TypedDocument<CreatePackageInviteMutation, CreatePackageInviteMutationVariables>

export const PackageTracksDocument = 'query PackageTracks($search:String$trackSlug:String){developerCertificationPackageTracks(search:$search trackSlug:$trackSlug){id name slug packages{id name level description skills{quizId skillName level durationMinutes enabledLanguages conceptsTested}}}}' as TypedDocument<PackageTracksQuery, PackageTracksQueryVariables>
