// Made by `npm run codegen` from mock-server/schema.graphql and operations/. Do not edit.
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | undefined;
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
};

/** The person who is invited. */
export type Candidate = {
  /** Where the invite goes. Must be a syntactically valid e-mail address. */
  readonly email: Scalars['String']['input'];
  /** The candidate's name. Our choice: optional, because the specification does not say that it is required. */
  readonly name?: InputMaybe<Scalars['String']['input']>;
};

/** An invite: one link with which one candidate may take one quiz. */
export type CertificationInvite = {
  /** The link that the candidate opens. With `sendInviteEmail: false` this is its only copy. */
  readonly challengeUrl: Scalars['String']['output'];
  /** Whether the invite e-mail was sent. */
  readonly emailSent: Maybe<Scalars['Boolean']['output']>;
  /** When the link closes, 14 days after creation: an ISO 8601 timestamp in UTC. */
  readonly expiresAt: Maybe<Scalars['String']['output']>;
  /** Identifies the invite. Also used to read the result back, by an operation that the specification does not show. */
  readonly inviteId: Scalars['String']['output'];
  /** PENDING at creation. */
  readonly status: Maybe<CertificationInviteStatus>;
};

/**
 * The state of an invite. PENDING is the state at creation and the only one that the specification shows; a client must
 * accept values that it has never seen.
 */
export type CertificationInviteStatus = 'PENDING' | (string & {});

/**
 * A level of proficiency. The specification shows BEGINNER as a value and names the four steps of a track; the other three
 * spellings are our choice, and a client must accept values that it has never seen.
 */
export type CertificationLevel = 'BEGINNER' | (string & {});

/** A group of skills that share one level of proficiency. Our choice: the name of this type. */
export type CertificationPackage = {
  /** What the package covers, in a sentence or two. */
  readonly description: Maybe<Scalars['String']['output']>;
  /** Identifies the package; all that a package invite needs. */
  readonly id: Scalars['String']['output'];
  /** The level that all of its skills share. */
  readonly level: Maybe<CertificationLevel>;
  /** The package's name, for people. */
  readonly name: Maybe<Scalars['String']['output']>;
  /** The skills; each is tested by a quiz of its own. Never empty in a listing. */
  readonly skills: ReadonlyArray<CertificationPackageSkill>;
};

/** All the invites that one package invite created. There is no combined result. Our choice: the name of this type. */
export type CertificationPackageInvite = {
  /** One invite for each skill of the package. */
  readonly invites: ReadonlyArray<CertificationPackageSkillInvite>;
  /** The package, by its identifier. */
  readonly packageId: Scalars['String']['output'];
  /** The package's name. */
  readonly packageName: Maybe<Scalars['String']['output']>;
};

/** One skill of a package and the quiz that tests it. Our choice: the name of this type. */
export type CertificationPackageSkill = {
  /** What the quiz asks about. */
  readonly conceptsTested: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  /** How long the attempt may take, in whole minutes. */
  readonly durationMinutes: Maybe<Scalars['Int']['output']>;
  /** The languages in which the quiz can be taken, as language codes. */
  readonly enabledLanguages: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  /** The level at which the quiz tests the skill: the package's level. */
  readonly level: Maybe<CertificationLevel>;
  /** The quiz that tests the skill. Informational: a package invite needs only the id of its package. */
  readonly quizId: Scalars['String']['output'];
  /** The skill's name, for people. */
  readonly skillName: Maybe<Scalars['String']['output']>;
};

/** An invite that belongs to a package invite: an ordinary one, and which skill it is for. Our choice: the name of this type. */
export type CertificationPackageSkillInvite = {
  /** The link that the candidate opens to take the attempt for this skill. */
  readonly challengeUrl: Scalars['String']['output'];
  /** Whether the invite e-mail for this skill was sent. */
  readonly emailSent: Maybe<Scalars['Boolean']['output']>;
  /** When the link closes, 14 days after creation: an ISO 8601 timestamp in UTC. */
  readonly expiresAt: Maybe<Scalars['String']['output']>;
  /** Identifies the invite. Also used to read the result back, by an operation that the specification does not show. */
  readonly inviteId: Scalars['String']['output'];
  /** The level of the skill. */
  readonly level: Maybe<CertificationLevel>;
  /** The quiz that this invite is for. */
  readonly quizId: Scalars['String']['output'];
  /** The skill that the quiz tests. */
  readonly skillName: Maybe<Scalars['String']['output']>;
  /** PENDING at creation. */
  readonly status: Maybe<CertificationInviteStatus>;
};

/** A curated progression of at most four packages, from Fundamentals to Expert. Our choice: the name of this type. */
export type CertificationPackageTrack = {
  /** Identifies the track. */
  readonly id: Scalars['String']['output'];
  /** The track's name, for people. */
  readonly name: Maybe<Scalars['String']['output']>;
  /** The track's deliverable packages, in the order of their levels. */
  readonly packages: ReadonlyArray<CertificationPackage>;
  /** The track's name in addresses; what `trackSlug` is compared with. */
  readonly slug: Scalars['String']['output'];
};

/** The input to invite one candidate to one quiz. */
export type DeveloperCreateCertificationInviteInput = {
  /** Where events about this invite are sent: a URL that starts with https://. Only with an API key, never in an admin session. */
  readonly callbackUrl?: InputMaybe<Scalars['String']['input']>;
  /** Who is invited. */
  readonly candidate: Candidate;
  /** Your own reference for this invite. A follow-up attempt inherits it. */
  readonly externalReference?: InputMaybe<Scalars['String']['input']>;
  /**
   * The quiz: `levels[].quizId` of the catalog. It must be READY at this moment. The specification shows no operation for
   * the catalog; in practice the ids can be seen in the listing of tracks, where they are informational.
   */
  readonly quizId: Scalars['String']['input'];
  /**
   * `false` keeps the service from sending the e-mail: the caller then has the only copy of the link. Absent means `true`.
   * Our choice: an explicit null counts as absent.
   */
  readonly sendInviteEmail?: InputMaybe<Scalars['Boolean']['input']>;
};

/** The input to invite one candidate to every skill of one package. */
export type DeveloperCreateCertificationPackageInviteInput = {
  /** As for a single invite; set on every invite that this request creates. */
  readonly callbackUrl?: InputMaybe<Scalars['String']['input']>;
  /** Who is invited. */
  readonly candidate: Candidate;
  /** The package, by the identifier that the listing gives. */
  readonly packageId: Scalars['String']['input'];
  /**
   * As for a single invite, for every skill: each link travels in an e-mail of its own. Our choice: an explicit null counts
   * as absent.
   */
  readonly sendInviteEmail?: InputMaybe<Scalars['Boolean']['input']>;
};

export type Mutation = {
  /**
   * Creates one invite for one candidate and one quiz, and e-mails its link by default.
   *
   * Refused with BAD_USER_INPUT when the quiz is not READY, when the candidate has an attempt in progress for that quiz,
   * or when the candidate holds a certification for that quiz that is valid now.
   */
  readonly developerCreateCertificationInvite: CertificationInvite;
  /**
   * Creates one invite for every skill of a package, or none at all. The effect is that of one
   * developerCreateCertificationInvite per skill.
   *
   * Refused with BAD_USER_INPUT, and nothing created, when any skill of the package is no longer enabled, or when the
   * candidate has an attempt in progress or a valid certification for any of its skills.
   */
  readonly developerCreateCertificationPackageInvite: CertificationPackageInvite;
};


export type MutationDeveloperCreateCertificationInviteArgs = {
  input: DeveloperCreateCertificationInviteInput;
};


export type MutationDeveloperCreateCertificationPackageInviteArgs = {
  input: DeveloperCreateCertificationPackageInviteInput;
};

export type Query = {
  /**
   * Lists the curated package tracks, each with the packages that can be delivered right now: a package with a skill that
   * is switched off or not ready is left out.
   *
   * Our choice: a track whose packages are all undeliverable stays in the list with an empty `packages`; the list is
   * complete, since the specification shows no pagination.
   */
  readonly developerCertificationPackageTracks: ReadonlyArray<CertificationPackageTrack>;
};


export type QueryDeveloperCertificationPackageTracksArgs = {
  search?: InputMaybe<Scalars['String']['input']>;
  trackSlug?: InputMaybe<Scalars['String']['input']>;
};
