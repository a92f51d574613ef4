// Made by `npm run codegen` from mock-server/schema.graphql and operations/. Do not edit.
/* oxlint-disable */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../api/exchange.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type ResolverFn<TResult, TParent, TContext, TArgs> = (args: TArgs, context: TContext, parent?: TParent) => TResult
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
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
  readonly emailSent?: Maybe<Scalars['Boolean']['output']>;
  /** When the link closes, 14 days after creation: an ISO 8601 timestamp in UTC. */
  readonly expiresAt?: Maybe<Scalars['String']['output']>;
  /** Identifies the invite. Also used to read the result back, by an operation that the specification does not show. */
  readonly inviteId: Scalars['String']['output'];
  /** PENDING at creation. */
  readonly status?: Maybe<CertificationInviteStatus>;
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

/** A group of skills that share one level of proficiency. Our choice: the name of this type. */
export type CertificationPackage = {
  /** What the package covers, in a sentence or two. */
  readonly description?: Maybe<Scalars['String']['output']>;
  /** Identifies the package; all that a package invite needs. */
  readonly id: Scalars['String']['output'];
  /** The level that all of its skills share. */
  readonly level?: Maybe<CertificationLevel>;
  /** The package's name, for people. */
  readonly name?: Maybe<Scalars['String']['output']>;
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
  readonly packageName?: Maybe<Scalars['String']['output']>;
};

/** One skill of a package and the quiz that tests it. Our choice: the name of this type. */
export type CertificationPackageSkill = {
  /** What the quiz asks about. */
  readonly conceptsTested?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  /** How long the attempt may take, in whole minutes. */
  readonly durationMinutes?: Maybe<Scalars['Int']['output']>;
  /** The languages in which the quiz can be taken, as language codes. */
  readonly enabledLanguages?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  /** The level at which the quiz tests the skill: the package's level. */
  readonly level?: Maybe<CertificationLevel>;
  /** The quiz that tests the skill. Informational: a package invite needs only the id of its package. */
  readonly quizId: Scalars['String']['output'];
  /** The skill's name, for people. */
  readonly skillName?: Maybe<Scalars['String']['output']>;
};

/** An invite that belongs to a package invite: an ordinary one, and which skill it is for. Our choice: the name of this type. */
export type CertificationPackageSkillInvite = {
  /** The link that the candidate opens to take the attempt for this skill. */
  readonly challengeUrl: Scalars['String']['output'];
  /** Whether the invite e-mail for this skill was sent. */
  readonly emailSent?: Maybe<Scalars['Boolean']['output']>;
  /** When the link closes, 14 days after creation: an ISO 8601 timestamp in UTC. */
  readonly expiresAt?: Maybe<Scalars['String']['output']>;
  /** Identifies the invite. Also used to read the result back, by an operation that the specification does not show. */
  readonly inviteId: Scalars['String']['output'];
  /** The level of the skill. */
  readonly level?: Maybe<CertificationLevel>;
  /** The quiz that this invite is for. */
  readonly quizId: Scalars['String']['output'];
  /** The skill that the quiz tests. */
  readonly skillName?: Maybe<Scalars['String']['output']>;
  /** PENDING at creation. */
  readonly status?: Maybe<CertificationInviteStatus>;
};

/** A curated progression of at most four packages, from Fundamentals to Expert. Our choice: the name of this type. */
export type CertificationPackageTrack = {
  /** Identifies the track. */
  readonly id: Scalars['String']['output'];
  /** The track's name, for people. */
  readonly name?: Maybe<Scalars['String']['output']>;
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



export type ResolverTypeWrapper<T> = T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Candidate: Candidate;
  CertificationInvite: ResolverTypeWrapper<CertificationInvite>;
  CertificationInviteStatus: CertificationInviteStatus;
  CertificationLevel: CertificationLevel;
  CertificationPackage: ResolverTypeWrapper<CertificationPackage>;
  CertificationPackageInvite: ResolverTypeWrapper<CertificationPackageInvite>;
  CertificationPackageSkill: ResolverTypeWrapper<CertificationPackageSkill>;
  CertificationPackageSkillInvite: ResolverTypeWrapper<CertificationPackageSkillInvite>;
  CertificationPackageTrack: ResolverTypeWrapper<CertificationPackageTrack>;
  DeveloperCreateCertificationInviteInput: DeveloperCreateCertificationInviteInput;
  DeveloperCreateCertificationPackageInviteInput: DeveloperCreateCertificationPackageInviteInput;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Boolean: Scalars['Boolean']['output'];
  Candidate: Candidate;
  CertificationInvite: CertificationInvite;
  CertificationPackage: CertificationPackage;
  CertificationPackageInvite: CertificationPackageInvite;
  CertificationPackageSkill: CertificationPackageSkill;
  CertificationPackageSkillInvite: CertificationPackageSkillInvite;
  CertificationPackageTrack: CertificationPackageTrack;
  DeveloperCreateCertificationInviteInput: DeveloperCreateCertificationInviteInput;
  DeveloperCreateCertificationPackageInviteInput: DeveloperCreateCertificationPackageInviteInput;
  Int: Scalars['Int']['output'];
  Mutation: Record<PropertyKey, never>;
  Query: Record<PropertyKey, never>;
  String: Scalars['String']['output'];
};

export type ScopeDirectiveArgs = {
  name: Scalars['String']['input'];
};

export type ScopeDirectiveResolver<Result, Parent, ContextType = Context, Args = ScopeDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type CertificationInviteResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CertificationInvite'] = ResolversParentTypes['CertificationInvite']> = {
  challengeUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  emailSent?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  inviteId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['CertificationInviteStatus']>, ParentType, ContextType>;
};

export type CertificationPackageResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CertificationPackage'] = ResolversParentTypes['CertificationPackage']> = {
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  level?: Resolver<Maybe<ResolversTypes['CertificationLevel']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  skills?: Resolver<ReadonlyArray<ResolversTypes['CertificationPackageSkill']>, ParentType, ContextType>;
};

export type CertificationPackageInviteResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CertificationPackageInvite'] = ResolversParentTypes['CertificationPackageInvite']> = {
  invites?: Resolver<ReadonlyArray<ResolversTypes['CertificationPackageSkillInvite']>, ParentType, ContextType>;
  packageId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  packageName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CertificationPackageSkillResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CertificationPackageSkill'] = ResolversParentTypes['CertificationPackageSkill']> = {
  conceptsTested?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
  durationMinutes?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  enabledLanguages?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
  level?: Resolver<Maybe<ResolversTypes['CertificationLevel']>, ParentType, ContextType>;
  quizId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  skillName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CertificationPackageSkillInviteResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CertificationPackageSkillInvite'] = ResolversParentTypes['CertificationPackageSkillInvite']> = {
  challengeUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  emailSent?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  inviteId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  level?: Resolver<Maybe<ResolversTypes['CertificationLevel']>, ParentType, ContextType>;
  quizId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  skillName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['CertificationInviteStatus']>, ParentType, ContextType>;
};

export type CertificationPackageTrackResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CertificationPackageTrack'] = ResolversParentTypes['CertificationPackageTrack']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  packages?: Resolver<ReadonlyArray<ResolversTypes['CertificationPackage']>, ParentType, ContextType>;
  slug?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  developerCreateCertificationInvite?: Resolver<ResolversTypes['CertificationInvite'], ParentType, ContextType, RequireFields<MutationDeveloperCreateCertificationInviteArgs, 'input'>>;
  developerCreateCertificationPackageInvite?: Resolver<ResolversTypes['CertificationPackageInvite'], ParentType, ContextType, RequireFields<MutationDeveloperCreateCertificationPackageInviteArgs, 'input'>>;
};

export type QueryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  developerCertificationPackageTracks?: Resolver<ReadonlyArray<ResolversTypes['CertificationPackageTrack']>, ParentType, ContextType, Partial<QueryDeveloperCertificationPackageTracksArgs>>;
};

export type Resolvers<ContextType = Context> = {
  CertificationInvite?: CertificationInviteResolvers<ContextType>;
  CertificationPackage?: CertificationPackageResolvers<ContextType>;
  CertificationPackageInvite?: CertificationPackageInviteResolvers<ContextType>;
  CertificationPackageSkill?: CertificationPackageSkillResolvers<ContextType>;
  CertificationPackageSkillInvite?: CertificationPackageSkillInviteResolvers<ContextType>;
  CertificationPackageTrack?: CertificationPackageTrackResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = Context> = {
  scope?: ScopeDirectiveResolver<any, any, ContextType>;
};
