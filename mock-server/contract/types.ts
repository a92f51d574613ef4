import type * as z from 'zod/mini'
import type { ContractTypes } from '../generated/contract.ts'
import { behaviour } from './behaviour.ts'
import { callbackFault, callbackRule, fault, faultProgress, requestRule } from './faults.ts'
import { callbackOptions, callbackWait, listenOptions, mailWait, mockOptions, sessionOptions } from './options.ts'
import * as rows from './rows.ts'
import { candidateHistory, world, worldData } from './world.ts'

/**
 * The public types that are made from schemas: `npm run codegen` writes them to `generated/contract.ts`, so that no
 * declaration of the package mentions zod.
 */
export const SCHEMAS = {
  Level: rows.level,
  Quiz: rows.quiz,
  Package: rows.pack,
  Track: rows.track,
  ApiKey: rows.apiKey,
  CandidateHistory: candidateHistory,
  WorldData: worldData,
  MockWorld: world,
  BehaviourSwitches: behaviour,
  MockServerOptions: mockOptions,
  MockCallbackOptions: callbackOptions,
  MockListenOptions: listenOptions,
  MockSessionOptions: sessionOptions,
  AttemptOutcome: rows.attemptOutcome,
  FollowUpKind: rows.followUpKind,
  InviteStatus: rows.inviteStatus,
  MockInvite: rows.inviteRow,
  MockMail: rows.mail,
  MockAttempt: rows.attempt,
  MockCertification: rows.certification,
  MockPackage: rows.packageRow,
  MockTrack: rows.trackRow,
  MockCallback: rows.callback,
  MockCallbackAttempt: rows.callbackAttempt,
  MockExchange: rows.exchange,
  MockSnapshot: rows.snapshot,
  Fault: fault,
  FaultRule: requestRule,
  CallbackFault: callbackFault,
  CallbackFaultRule: callbackRule,
  FaultProgress: faultProgress,
  MailWait: mailWait,
  CallbackWait: callbackWait,
} satisfies { readonly [Name in keyof ContractTypes]: z.ZodMiniType }

type Schemas = typeof SCHEMAS

/** The names of the generated types that differ from their schema, or that have none. */
type Outdated = {
  [Name in keyof Schemas]: Name extends keyof ContractTypes
    ? Same<Plain<z.output<Schemas[Name]>>, Plain<ContractTypes[Name]>> extends true
      ? never
      : Name
    : Name
}[keyof Schemas]

/* Does not compile if a generated type differs from its schema, and names it: then run `npm run codegen`. */
true satisfies [Outdated] extends [never] ? true : { 'run npm run codegen for': Outdated }

/* The usual test for identical types. Assignability would miss an absent optional member. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** A type without `readonly`: the generated types have it everywhere, the schemas' types nowhere. */
type Plain<T> = T extends Date | ((...args: never[]) => unknown)
  ? T
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<T[Key]> }
    : T
