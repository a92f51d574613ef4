import * as z from 'zod/mini'
import type { MockWorld } from '../contract/world.ts'
import { worldDataWith } from '../world/catalogue.ts'
import { contradictions, type Incomplete, repeatedCandidates } from '../world/consistency.ts'
import { LEVELS, SCOPES, type WorldData } from '../world/model.ts'
import { didYouMean } from '../world/near-names.ts'
import { DEEPEST_WORLD, isDeeper, problemsError, type WorldProblem } from '../world/problems.ts'
import type { WorldSwitches } from '../world/rule-switches.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { switches } from './switches.ts'

/** Throws one error that names everything that is wrong with a world. `identity` says which candidates are the same. */
export function assertWorld(world: unknown, identity: WorldSwitches['candidateIdentity']): asserts world is MockWorld {
  const problems = problemsOf(world, identity)
  if (problems.length > 0) throw problemsError(problems)
}

/** The JSON Schema of a world in a file. */
export function worldJsonSchema(): object {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...jsonSchemaOf(worldSchema, 'input') }
}

const text = (description: string) => z.string().check(z.describe(description))
const list = <Row extends z.ZodMiniType>(row: Row, description: string) => z.array(row).check(z.describe(description))

/* Which levels, scopes and minutes there are is checked with the rules of the whole: for those, only editors read this. */
const level = z.string().check(z.meta({ enum: LEVELS, description: 'The level of proficiency.' }))
const quizId = text('The id of a quiz of this world.')

const quiz = z
  .strictObject({
    id: text('The identifier that an invite names.'),
    skillName: text('The skill that it tests. Quizzes of one skill name are the levels of one skill.'),
    level,
    ready: z.boolean().check(z.describe('Whether it is enabled, so that candidates can be invited to it.')),
    durationMinutes: z.number().check(z.meta({ type: 'integer', minimum: 1, description: 'Whole minutes.' })),
    enabledLanguages: list(z.string(), 'Language tags, such as en or pt-BR.'),
    conceptsTested: list(z.string(), 'What it asks about.'),
  })
  .check(z.meta({ title: 'a quiz' }))

const pack = z
  .strictObject({
    id: text('The identifier that a package invite names.'),
    name: text('Its name.'),
    level,
    description: text('What it is for.'),
    quizIds: list(quizId, 'Its skills, each by its quiz. All are of the level of the package.'),
    deliverable: z.optional(z.boolean().check(z.describe('Ignored: it follows from its quizzes.'))),
  })
  .check(z.meta({ title: 'a package' }))

const track = z
  .strictObject({
    id: text('Its identifier.'),
    name: text('Its name.'),
    slug: text('The short name by which trackSlug finds it.'),
    packages: z.array(pack).check(z.meta({ maxItems: 4, description: 'At most four packages, one of each level.' })),
  })
  .check(z.meta({ title: 'a track' }))

const moment = z.optional(text('A time in ISO 8601; without it, the beginning of the world.').check(isTime()))

const candidate = z
  .strictObject({
    email: text('Who the candidate is.'),
    certifications: z.optional(
      list(
        z.strictObject({ quizId, passedAt: moment }).check(z.meta({ title: 'a certification' })),
        'What was passed.',
      ),
    ),
    attempts: z.optional(
      list(
        z.strictObject({ quizId, startedAt: moment }).check(z.meta({ title: 'an attempt' })),
        'What is in progress.',
      ),
    ),
  })
  .check(z.meta({ title: 'a candidate' }))

const apiKey = z
  .strictObject({
    name: text('A name for messages and fault rules.'),
    key: text('What a request sends as x-api-key.'),
    scopes: list(z.string().check(z.meta({ enum: SCOPES })), 'What it may do.'),
  })
  .check(z.meta({ title: 'an API key' }))

/** A world, as it is in a file and in a request. */
export const worldSchema = z
  .strictObject({
    $schema: z.optional(text('The address of this schema, for editors.')),
    quizzes: z.optional(list(quiz, 'All quizzes; without them, the documented ones.')),
    tracks: z.optional(
      list(track, 'All tracks. Default: the documented ones; none if the world has quizzes of its own.'),
    ),
    candidates: z.optional(
      list(candidate, 'Candidates with a history. Default: the documented ones; none for own quizzes or tracks.'),
    ),
    apiKeys: z.optional(list(apiKey, 'All API keys; without them, the documented ones.')),
    behaviour: z.optional(switches),
  })
  .check(z.meta({ title: 'world' }))

function isTime() {
  return z.refine<string>((value) => Math.abs(Date.parse(value)) < LAST_TIME, {
    error: ({ input }) => `${String(input)} is not a time: give an ISO 8601 text such as 2030-01-01T09:00:00Z`,
  })
}

/** The end of the year 9999. */
const LAST_TIME = 253_402_300_800_000

function problemsOf(world: unknown, identity: WorldSwitches['candidateIdentity']): WorldProblem[] {
  if (isSnapshot(world)) return [{ path: [], message: SNAPSHOT }]
  if (isDeeper(world, DEEPEST_WORLD)) {
    return [{ path: [], message: `this is nested more than ${DEEPEST_WORLD} levels deep` }]
  }
  const { error } = z.safeParse(worldSchema, world, { reportInput: true, jitless: true })
  const issues = error?.issues ?? []
  const shape = issues.flatMap(problemsIn)
  // Where a whole list is none, what refers to it cannot be checked.
  if (issues.some(({ code, path }) => code !== 'unrecognized_keys' && path.length <= 1)) return shape
  const whole: Incomplete<WorldData> = worldDataWith(withoutWrong(world, issues) as Partial<WorldData>)
  return [...shape, ...contradictions(whole), ...repeatedCandidates(whole, identity)]
}

function isSnapshot(world: unknown): boolean {
  return typeof world === 'object' && world !== null && 'format' in world && world.format === 'certify-mock'
}

const SNAPSHOT =
  'this is a snapshot of a mock, not a world: restore it with --state, PUT /__mock/state or mock.restore(snapshot)'

type Issue = z.core.$ZodIssue

function problemsIn(issue: Issue): WorldProblem[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    const { names, title } = objectAt(path)
    return issue.keys.map((name) => {
      const meant = didYouMean(name, names) || `; there are ${names.join(', ')}`
      return { path: [...path, name], message: `${title} has no ${name}${meant}` }
    })
  }
  if (issue.input === undefined) return [{ path, message: 'this is missing' }]
  return [{ path, message: issue.code === 'invalid_type' ? wrongType(issue) : withoutPath(issue.message, path) }]
}

function wrongType({ expected, input }: Issue & { readonly expected: string }): string {
  const inQuotes = expected === 'string' && ['number', 'boolean'].includes(typeof input)
  return `this has to be ${TYPES[expected] ?? expected}${inQuotes ? ': put it in quotes' : ''}`
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/** Messages of switches begin with their path. */
function withoutPath(message: string, path: readonly (string | number)[]): string {
  const start = `${path.join('.')} `
  return message.startsWith(start) ? `this ${message.slice(start.length)}` : message
}

/** The members that an object in a world can have, and what it is called. */
function objectAt(path: readonly (string | number)[]): { readonly names: string[]; readonly title: string } {
  let schema: unknown = worldSchema
  for (const step of path) {
    const { shape = {}, element } = unwrapped(schema)
    schema = typeof step === 'number' ? element : shape[step]
  }
  const { shape = {} } = unwrapped(schema)
  const title = z.globalRegistry.get(schema as z.core.$ZodType)?.title ?? 'behaviour'
  return { names: Object.keys(shape), title }
}

interface Definition {
  readonly shape?: Readonly<Record<string, unknown>>
  readonly element?: unknown
  readonly innerType?: unknown
}

function unwrapped(schema: unknown): Definition {
  const { def } = schema as { readonly def: Definition }
  return def.innerType === undefined ? def : unwrapped(def.innerType)
}

/** The value without the members that are wrong; the places in lists stay. */
function withoutWrong(world: unknown, issues: readonly Issue[]): unknown {
  const copy = copyOf(world)
  for (const { code, path } of issues) {
    const last = path.at(-1)
    if (code === 'unrecognized_keys' || last === undefined) continue
    const parent: unknown = path.slice(0, -1).reduce((value: unknown, step) => Object(value)[step], copy)
    if (typeof parent === 'object' && parent !== null) Reflect.set(parent, last, undefined)
  }
  return copy
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}
