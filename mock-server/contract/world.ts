import * as z from 'zod/mini'
import type { ApiKey, BehaviourSwitches, MockWorld, Package, Quiz } from '../generated/contract.ts'
import { worldDataWith } from '../world/catalogue.ts'
import { contradictions, repeatedCandidates } from '../world/consistency.ts'
import { LAST_TIME } from '../world/clock.ts'
import { DEEPEST_WORLD, isDeeper, problemsError, type WorldProblem } from '../world/problems.ts'
import { someBehaviour } from './behaviour.ts'
import { apiKey, pack, quiz, track } from './rows.ts'
import { jsonSchemaOf, object, shapeProblems, typedAs } from './validation.ts'

const quizId = z.string().check(z.describe('The id of a quiz of this world.'))

const moment = z.string().check(
  z.refine((value) => Math.abs(Date.parse(value)) < LAST_TIME, {
    error: ({ input }) => `${String(input)} is not a time: give an ISO 8601 text such as 2030-01-01T09:00:00Z`,
  }),
  z.describe('A time in ISO 8601. Default: the beginning of the world.'),
)

export const candidateHistory = object(
  'a candidate',
  {
    email: z.string().check(z.describe('The address of the candidate.')),
    certifications: z.optional(
      z
        .array(object('a certification', { quizId, passedAt: z.optional(moment) }))
        .check(z.describe('What was passed.')),
    ),
    attempts: z.optional(
      z
        .array(object('an attempt', { quizId, startedAt: z.optional(moment) }))
        .check(z.describe('What is in progress.')),
    ),
  },
  'A candidate with a history.',
)

/* A package as `mock.tracks` returns it can be loaded too. */
const loadedPackage = object('a package', {
  ...pack.shape,
  deliverable: z.optional(z.boolean().check(z.describe('Ignored: it follows from its quizzes.'))),
})

const loadedTrack = object('a track', {
  ...track.shape,
  packages: z
    .array(typedAs<Package>('Package', loadedPackage))
    .check(z.meta({ maxItems: 4, description: 'At most four packages, one of each level.' })),
})

const parts = {
  quizzes: z
    .array(typedAs<Quiz>('Quiz', object('a quiz', quiz.shape)))
    .check(z.describe('All quizzes. Default: the documented ones.')),
  tracks: z
    .array(typedAs<z.output<typeof track>>('Track', loadedTrack))
    .check(z.describe('All tracks. Default: the documented ones; none if the world has quizzes of its own.')),
  candidates: z
    .array(candidateHistory)
    .check(
      z.describe(
        'Candidates with a history. Default: the documented ones; none if the world has quizzes or tracks of its own.',
      ),
    ),
  apiKeys: z
    .array(typedAs<ApiKey>('ApiKey', object('an API key', apiKey.shape)))
    .check(z.describe('All API keys. Default: the documented ones.')),
}

/** The data that a world begins with, with every part. */
export const worldData = object('a world', parts, 'The data that a world begins with.')

/** A world, as it is in a file and in a request. */
export const world = object(
  'a world',
  {
    $schema: z.optional(z.string().check(z.describe('The address of this schema, for editors. The mock ignores it.'))),
    quizzes: z.optional(parts.quizzes),
    tracks: z.optional(parts.tracks),
    candidates: z.optional(parts.candidates),
    apiKeys: z.optional(parts.apiKeys),
    behaviour: z.optional(someBehaviour),
  },
  'The data that a world begins with, as `createMockServer` takes it and as it is in a file. The default of each part is the documented one. Your own `quizzes` replace the documented tracks and candidates too, and your own `tracks` the documented candidates.',
)

/** The JSON Schema of a world in a file. */
export function worldJsonSchema(): object {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'world', ...jsonSchemaOf(world, 'input') }
}

/**
 * Throws one error that names everything that is wrong with a world: its shape, or else what contradicts the specification.
 * `identity` says which candidates are the same.
 */
export function assertWorld(
  given: unknown,
  identity: BehaviourSwitches['candidateIdentity'],
): asserts given is MockWorld {
  const problems = problemsOf(given)
  if (problems.length > 0) throw problemsError(problems)
  const data = worldDataWith(given as MockWorld)
  const found = [...contradictions(data), ...repeatedCandidates(data, identity)]
  if (found.length > 0) throw problemsError(found)
}

function problemsOf(given: unknown): WorldProblem[] {
  if (Object(given).format === 'certify-mock') return [{ path: [], message: SNAPSHOT }]
  if (isDeeper(given, DEEPEST_WORLD)) {
    return [{ path: [], message: `this is nested more than ${DEEPEST_WORLD} levels deep` }]
  }
  return shapeProblems(world, given)
}

const SNAPSHOT =
  'this is a snapshot of a mock, not a world: restore it with --state, PUT /__mock/state or mock.restore(snapshot)'
