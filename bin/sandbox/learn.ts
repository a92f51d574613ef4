import type { BehaviourSwitches } from '../../mock-server/index.ts'
import { CliError } from '../cli-error.ts'
import type { Connection } from '../config/connection.ts'
import type { Context } from '../context.ts'
import { isJsonObject } from '../parsing.ts'
import { type Answer, askForInvalid, askForRefusal, askForTracks, NO_SUCH_KEY, NO_SUCH_TRACK } from './questions.ts'

/** What is asked besides harmless queries. */
export interface Scope {
  /** Creates that the specification refuses. */
  readonly refusedCreates: boolean
  /** The credentials of a caller who may not create. */
  readonly reader: Connection | undefined
}

/** One gap of the specification: what was asked, what the service did, and the setting with which the mock does the same. */
export interface Finding {
  readonly gap: string
  readonly asked: string
  readonly found: string
  /** The name of the switch; `null` if the gap has none. */
  readonly switch: keyof BehaviourSwitches | null
  /** `null` if it could not be learned. */
  readonly setting: string | number | null
}

export interface Learned {
  readonly findings: readonly Finding[]
  /** Where an assumption of the client does not hold. */
  readonly warnings: readonly string[]
  readonly behaviour: Partial<BehaviourSwitches>
}

/** Asks a service, and concludes how the mock is to behave. Only what a response proves is learned. @throws CertifyError */
export async function learn(context: Context, { refusedCreates, reader }: Scope): Promise<Learned> {
  const answers: Answers = {
    listing: await askForTracks(context),
    track: await askForTracks(context, NO_SUCH_TRACK),
    stranger: await askForTracks(context, undefined, {
      ...context.connection(),
      authentication: { value: { apiKey: NO_SUCH_KEY }, origin: 'certify mock learn' },
    }),
  }
  const { failure } = answers.listing
  if (failure && failure.code !== 'FORBIDDEN') throw failure
  if (reader) answers.reader = refused(await askForRefusal(context, reader))
  if (refusedCreates) {
    answers.quiz = refused(await askForRefusal(context))
    answers.address = refused(await askForInvalid(context, { candidate: { name: 'Nobody', email: 'not an address' } }))
    // In an admin session every callback URL is invalid input.
    answers.callback = refused(await askForInvalid(context, { callbackUrl: 'http://certify-mock-learn.invalid/' }))
  }
  const findings = conclusions(answers)
  const learned = findings.flatMap(({ switch: name, setting }) => (name && setting !== null ? [[name, setting]] : []))
  return {
    findings,
    warnings: warningsOf(answers),
    behaviour: Object.fromEntries(learned) as Partial<BehaviourSwitches>,
  }
}

interface Answers {
  readonly listing: Answer
  readonly track: Answer
  readonly stranger: Answer
  reader?: Answer
  quiz?: Answer
  address?: Answer
  callback?: Answer
}

/** The answer to a create, unless the service executed it: then no other is sent. @throws CliError */
function refused(answer: Answer): Answer {
  const { data } = answer
  if (!isJsonObject(data) || !isJsonObject(data['developerCreateCertificationInvite'])) return answer
  throw new CliError(
    'the service created an invite for a quiz that does not exist; no further create was sent.',
    'The address is of nobody, and no e-mail was wanted. Ask the service to delete the invite.',
    { code: 'CREATED', exitCode: 6 },
  )
}

/* Each conclusion is a row of the table. */

function conclusions(answers: Answers): Finding[] {
  const { listing, track, stranger, reader, quiz, address, callback } = answers
  const place = placeOf(answers)
  const refusal = refusalBy(quiz)
  const row = (
    name: Finding['switch'],
    [gap, asked]: readonly [gap: string, asked: string],
    answer: Answer | undefined,
    setting: Finding['setting'],
    found = answer ? wordsFor(answer) : (NOT_ASKED[asked] ?? 'not asked'),
  ): Finding => ({ gap, asked, found, switch: name, setting })
  const nulls = nullsIn(listing.data)
  const entered = address ?? callback
  return [
    row(
      'unauthenticatedResponse',
      ['a key that is not known', 'a listing with an unknown key'],
      stranger,
      refusalStyle(stranger, 401, place),
    ),
    row(
      'forbiddenResponse',
      ['a key without the scope', READER],
      reader,
      reader ? refusalStyle(reader, 403, place) : null,
    ),
    row('errorCodePlace', ['where the code of an error is', QUIZ], quiz ?? reader ?? stranger, place),
    row('errorStatus', ['the status of a refusal', QUIZ], quiz, statusOf(refusal)),
    row('refusedData', ['the data of a refusal', QUIZ], quiz, dataOf(refusal), quiz && dataWords(quiz)),
    row('unknownIdCode', ['the code for an unknown quiz', QUIZ], quiz, oneOf(quiz?.error?.code, UNKNOWN_ID)),
    row('invalidInputCode', ['the code for invalid input', INVALID], entered, invalidCode(quiz, address, callback)),
    row('nullDescriptions', ['descriptions that are null', 'a listing'], listing, nulls.setting, nulls.found),
    row(null, ['a track that is not known', 'a listing of an unknown track'], track, null),
  ]
}

const READER = 'a create with --read-key'
const QUIZ = 'a create of an unknown quiz'
const INVALID = 'the same, with invalid input'

const NOT_ASKED: Readonly<Record<string, string>> = {
  [READER]: 'not asked: give --read-key',
  [QUIZ]: 'not asked: give --refused-creates',
  [INVALID]: 'not asked: give --refused-creates',
}

const UNKNOWN_ID = ['BAD_USER_INPUT', 'NOT_FOUND'] as const

/** How a caller was refused: by a page or a GraphQL error, with the status 401 or 403, or 200. */
function refusalStyle(
  { status, isResult, error, failure }: Answer,
  refusal: 401 | 403,
  place: BehaviourSwitches['errorCodePlace'] | null,
): string | null {
  if (failure === undefined) return null
  if (!isResult) return status === refusal ? `html-${refusal}` : null
  const isNamed = error?.code === (refusal === 401 ? 'UNAUTHENTICATED' : 'FORBIDDEN')
  if (!error || (error.code !== null && !isNamed)) return null
  if (status === refusal) return `graphql-${refusal}`
  if (status !== 200) return null
  // Where no error has a code, this one needs no exception.
  return isNamed || place === 'none' ? 'graphql-200' : 'graphql-200-without-code'
}

/** The answer, if an operation of the service gave it, and not what stands before: a document or a caller that was refused. */
function refusalBy(quiz: Answer | undefined): Answer | undefined {
  const { error, status = 0 } = quiz ?? {}
  const isBefore = /^(GRAPHQL_|UNAUTHENTICATED$|FORBIDDEN$|RATE_LIMITED$|BAD_REQUEST$|INTERNAL_)/.test(
    error?.code ?? '',
  )
  return error && !isBefore && status < 500 && status !== 429 ? quiz : undefined
}

/** A refused create decides. The refusal of a caller shows only where a code is: it may be the only one without. */
function placeOf({ quiz, reader, stranger }: Answers): BehaviourSwitches['errorCodePlace'] | null {
  const refusal = refusalBy(quiz)
  if (refusal?.error) return refusal.error.place
  const named = [reader, stranger].find((each) => each?.error && each.error.place !== 'none')
  return named?.error?.place ?? null
}

function statusOf(refusal: Answer | undefined): 200 | 400 | null {
  const { status } = refusal ?? {}
  return status === 200 || status === 400 ? status : null
}

function dataOf(refusal: Answer | undefined): BehaviourSwitches['refusedData'] | null {
  if (!refusal) return null
  return isJsonObject(refusal.data) ? 'partial' : 'null'
}

function dataWords(quiz: Answer): string {
  if (!quiz.error) return wordsFor(quiz)
  if (isJsonObject(quiz.data)) return 'data with a null in it'
  return quiz.data === null ? 'data: null' : 'no data'
}

/**
 * The code for invalid input. The quiz is unknown too: only a response that differs from that of the unknown quiz alone is
 * about the input.
 */
function invalidCode(quiz: Answer | undefined, ...invalid: readonly (Answer | undefined)[]): string | null {
  const isOwn = ({ error }: Answer): boolean =>
    error?.code !== quiz?.error?.code || (error?.message !== quiz?.error?.message && typeof error?.message === 'string')
  const codes = new Set(invalid.flatMap((each) => (each?.error && isOwn(each) ? [each.error.code] : [])))
  const [code] = codes
  return codes.size === 1 && isCode(code) ? code : null
}

function oneOf<Value extends string>(code: string | null | undefined, known: readonly Value[]): Value | null {
  return known.find((each) => each === code) ?? null
}

/** How many of the fields that only describe are null. The mock has all or none. */
function nullsIn(data: unknown): Pick<Finding, 'setting' | 'found'> {
  const values: unknown[] = []
  const collect = (value: unknown, field: string): void => {
    if (DESCRIPTIVE.has(field)) values.push(value)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) collect(each, Array.isArray(value) ? '' : name)
    }
  }
  collect(data, '')
  const nulls = values.filter((value) => value === null).length
  if (values.length === 0) return { setting: null, found: 'no track' }
  const found = nulls === 0 ? 'none is null' : `${nulls} of ${values.length} are null`
  return { setting: nulls === 0 ? 'never' : nulls === values.length ? 'always' : null, found }
}

const DESCRIPTIVE: ReadonlySet<string> = new Set(
  'name level description skillName durationMinutes enabledLanguages conceptsTested'.split(' '),
)

/** What a service did, in words of ours: a status and a code are all that they quote. */
function wordsFor({ status, isResult, error, failure }: Answer): string {
  if (!isResult) return `HTTP ${status}, and no GraphQL result`
  if (!error) return failure ? `HTTP ${status}, and data that was not asked for` : `HTTP ${status}, and data`
  if (error.code === null) return `HTTP ${status}, an error without a code`
  const code = isCode(error.code) ? error.code : 'a code of another form'
  return `HTTP ${status}, ${code} in ${error.place === 'extensions' ? 'extensions.code' : 'code'}`
}

function isCode(code: string | null | undefined): code is string {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code)
}

/** Where the client would not see what a person sees: production.md, "What a response proves". */
function warningsOf({ track, stranger, reader, quiz }: Answers): string[] {
  const creates = [
    ['a create without the scope', reader],
    ['a create of an unknown quiz', quiz],
  ] as const
  return [
    ...expected(stranger, 'a key that is not known', 'UNAUTHENTICATED'),
    ...expected(reader, 'a key without the scope', 'FORBIDDEN'),
    ...(track.failure?.code === 'FORBIDDEN' || isEmptyList(track.data)
      ? []
      : ['a track that is not known: the client expects an empty list.']),
    ...creates.flatMap(([what, answer]) =>
      !answer || answer.failure?.outcome === 'not-executed'
        ? []
        : [
            `${what}: the client takes its outcome for ${answer.failure?.outcome ?? 'executed'}, though it was refused.`,
          ],
    ),
  ]
}

function expected(answer: Answer | undefined, what: string, code: string): string[] {
  if (!answer || answer.failure?.code === code) return []
  return [`${what}: the client reports ${answer.failure?.code ?? 'success'}, not ${code}.`]
}

function isEmptyList(data: unknown): boolean {
  const tracks: unknown = isJsonObject(data) ? data['developerCertificationPackageTracks'] : undefined
  return Array.isArray(tracks) && tracks.length === 0
}
