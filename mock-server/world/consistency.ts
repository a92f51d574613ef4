import { candidateKeyOf, isEmail } from './email-addresses.ts'
import { LEVELS, type Level, type Quiz, SCOPES, type Track, type WorldData } from './model.ts'
import { didYouMean } from './near-names.ts'
import { problemsError, type WorldProblem } from './problems.ts'
import type { WorldSwitches } from './rule-switches.ts'

/* The request log replaces keys by their names, with a regular expression, which cannot be of any size. */
const LONGEST_KEY = 200

/** Throws one error that names everything in the data that contradicts the specification. */
export function assertConsistent(data: WorldData): void {
  const problems = contradictions(data)
  if (problems.length > 0) throw problemsError(problems)
}

/** Data that may have gaps: whatever is missing is not checked. */
export type Incomplete<Data> = Data extends readonly (infer Row)[]
  ? readonly Incomplete<Row>[]
  : Data extends object
    ? { readonly [Name in keyof Data]?: Incomplete<Data[Name]> }
    : Data

/** Everything in the data that contradicts the specification. */
export function contradictions({ quizzes, tracks, candidates, apiKeys }: Incomplete<WorldData>): WorldProblem[] {
  const packages = rows(tracks).flatMap(([track, at]) =>
    rows(track.packages).map(([pack, place]) => ({ id: pack.id, path: ['tracks', at, 'packages', place] })),
  )
  const known = new Map(rows(quizzes).map(([quiz]) => [quiz.id ?? '', quiz]))
  return [
    ...repeated('quiz id', rows(quizzes), ({ id }) => id, ['quizzes'], ['id']),
    ...rows(quizzes).flatMap(([quiz, at]) => quizProblems(quiz).map(below('quizzes', at))),
    ...repeated('track id', rows(tracks), ({ id }) => id, ['tracks'], ['id']),
    ...repeated('track slug', rows(tracks), ({ slug }) => slug, ['tracks'], ['slug']),
    ...repeatedPackages(packages),
    ...rows(tracks).flatMap(([track, at]) => trackProblems(track, known).map(below('tracks', at))),
    ...rows(candidates).flatMap(([each, at]) => candidateProblems(each, known).map(below('candidates', at))),
    ...repeated('API key name', rows(apiKeys), ({ name }) => name, ['apiKeys'], ['name']),
    ...rows(apiKeys).flatMap(([key, at]) => keyProblems(key).map(below('apiKeys', at))),
    ...sameKeys(rows(apiKeys)),
  ]
}

/** Candidates that are listed more than once. Whose address is the same depends on a switch. */
export function repeatedCandidates(
  { candidates }: Incomplete<Pick<WorldData, 'candidates'>>,
  identity: WorldSwitches['candidateIdentity'],
): WorldProblem[] {
  const first = new Map<string, number>()
  return rows(candidates).flatMap(([{ email }, at]) => {
    if (email === undefined) return []
    const key = candidateKeyOf(email, identity)
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, at)
    const message = `this is the same candidate as candidates[${earlier}]: list both histories in one place`
    return earlier === undefined ? [] : [{ path: ['candidates', at, 'email'], message }]
  })
}

function quizProblems({ id, level, durationMinutes }: Incomplete<Quiz>): WorldProblem[] {
  const problems = levelProblems(`quiz ${id}`, level)
  if (durationMinutes !== undefined && (!Number.isInteger(durationMinutes) || durationMinutes <= 0)) {
    const message = `quiz ${id} lasts ${durationMinutes} minutes; a whole number above zero is needed`
    problems.push({ path: ['durationMinutes'], message })
  }
  return problems
}

function levelProblems(what: string, level: string | undefined): WorldProblem[] {
  if (level === undefined || isLevel(level)) return []
  const message = `${what} has the unknown level ${level}; there are ${LEVELS.join(', ')}${didYouMean(level, LEVELS)}`
  return [{ path: ['level'], message }]
}

/** A track has one package of each level at most, and so no more than four. */
function trackProblems({ id, packages }: Incomplete<Track>, quizzes: KnownQuizzes): WorldProblem[] {
  const what = `in track ${id}, a package of level`
  return [
    ...repeated(what, rows(packages), ({ level }) => (isLevel(level) ? level : undefined), ['packages'], ['level']),
    ...rows(packages).flatMap(([pack, at]) => packageProblems(pack, quizzes).map(below('packages', at))),
  ]
}

function packageProblems(
  { id, level, quizIds }: Incomplete<Track['packages'][number]>,
  quizzes: KnownQuizzes,
): WorldProblem[] {
  const named = texts(quizIds)
  return [
    ...levelProblems(`package ${id}`, level),
    ...repeated(`quiz of package ${id}`, named, (quizId) => quizId, ['quizIds'], []),
    ...named.flatMap(([quizId, at]) => {
      const quiz = quizzes.get(quizId)
      const isOther = quiz && isLevel(quiz.level) && isLevel(level) && quiz.level !== level
      if (quiz && !isOther) return []
      const message = quiz
        ? `package ${id} is ${level}, but its quiz ${quizId} is ${quiz.level}`
        : `package ${id} names the unknown quiz ${quizId}`
      return [{ path: ['quizIds', at], message, ...(!quiz && { more: () => didYouMean(quizId, [...quizzes.keys()]) }) }]
    }),
  ]
}

function keyProblems({ name, key, scopes }: Incomplete<WorldData['apiKeys'][number]>): WorldProblem[] {
  const blank = key?.trim() === '' ? [{ path: ['key'], message: `API key ${name} is blank` }] : []
  const unsafe = [
    // It is sent in a header, and written in files where a line break would begin another variable.
    ...(/[^ -~]/.test(key ?? '') ? [{ path: ['key'], message: `API key ${name} has ${NOT_PRINTABLE}` }] : []),
    ...(/\p{Cc}/u.test(name ?? '') ? [{ path: ['name'], message: CONTROL_IN_NAME }] : []),
  ]
  const long = Object.entries({ key, name }).filter(([, text]) => (text?.length ?? 0) > LONGEST_KEY)
  const unknown = texts(scopes).filter(([scope]) => !SCOPES.some((each) => each === scope))
  return [
    ...blank,
    ...unsafe,
    ...long.map(([of]) => ({
      path: [of],
      message: `the ${of} of an API key is longer than ${LONGEST_KEY} characters`,
    })),
    ...unknown.map(([scope, at]) => {
      const known = `; there are ${SCOPES.join(', ')}${didYouMean(scope, SCOPES)}`
      return { path: ['scopes', at], message: `API key ${name} has the unknown scope ${scope}${known}` }
    }),
  ]
}

const NOT_PRINTABLE = 'a character that is not printable ASCII: no request could send it'

const CONTROL_IN_NAME = 'the name of an API key has a control character'

/** Keys that are equal. A message names them: their text is a secret. */
function sameKeys(keys: readonly Placed<Incomplete<WorldData['apiKeys'][number]>>[]): WorldProblem[] {
  const first = new Map<string, string | undefined>()
  return keys.flatMap(([{ name, key }, at]) => {
    if (key === undefined) return []
    const isRepeated = first.has(key)
    if (!isRepeated) first.set(key, name)
    const message = `API key keys have to differ: ${name} has the key of ${first.get(key)}`
    return isRepeated ? [{ path: ['apiKeys', at, 'key'], message }] : []
  })
}

function candidateProblems(
  { email, certifications, attempts }: Incomplete<WorldData['candidates'][number]>,
  quizzes: KnownQuizzes,
): WorldProblem[] {
  const unknown = (list: 'certifications' | 'attempts', history: typeof attempts): WorldProblem[] =>
    rows(history).flatMap(([{ quizId }, at]) => {
      if (quizId === undefined || quizzes.has(quizId)) return []
      const message = `candidate ${email} has a history with the unknown quiz ${quizId}`
      return [{ path: [list, at, 'quizId'], message, more: () => didYouMean(quizId, [...quizzes.keys()]) }]
    })
  const isWrong = email !== undefined && !isEmail(email, 'accept')
  return [
    ...(isWrong ? [{ path: ['email'], message: `candidate ${email} has no valid e-mail address` }] : []),
    ...unknown('certifications', certifications),
    ...unknown('attempts', attempts),
    ...repeated(`attempt in progress of ${email}`, rows(attempts), ({ quizId }) => quizId, ['attempts'], ['quizId']),
  ]
}

type KnownQuizzes = ReadonlyMap<string, Incomplete<Quiz>>
type Placed<Row> = readonly [row: Row, at: number]
type Path = WorldProblem['path']

/** The rows that are objects, each with its place. */
function rows<Row>(list: readonly Row[] | undefined): Placed<Row>[] {
  return placed(list).filter(([row]) => typeof row === 'object' && row !== null)
}

function texts(list: readonly string[] | undefined): Placed<string>[] {
  return placed(list).filter(([text]) => typeof text === 'string')
}

function placed<Row>(list: readonly Row[] | undefined): Placed<Row>[] {
  return Array.isArray(list) ? list.map((row: Row, at) => [row, at] as const) : []
}

function isLevel(level: string | undefined): level is Level {
  return LEVELS.some((each) => each === level)
}

function below(...start: Path): (problem: WorldProblem) => WorldProblem {
  return ({ path, first, ...problem }) => {
    return { ...problem, path: [...start, ...path], ...(first && { first: [...start, ...first] }) }
  }
}

function repeatedPackages(packages: readonly { readonly id: string | undefined; readonly path: Path }[]) {
  const placeOf = ([at]: Path): Path => [...(packages[Number(at)]?.path ?? []), 'id']
  const placedPackages = packages.map((pack, at) => [pack, at] as const)
  return repeated('package id', placedPackages, ({ id }) => id, [], []).map(({ path, message, first = [] }) => {
    return { path: placeOf(path), message, first: placeOf(first) }
  })
}

/** The rows whose text an earlier one has, each text once. */
function repeated<Row>(
  what: string,
  list: readonly Placed<Row>[],
  textOf: (row: Row) => string | undefined,
  before: Path,
  after: Path,
): WorldProblem[] {
  const first = new Map<string, number>()
  const twice = new Map<string, number>()
  for (const [row, at] of list) {
    const text = textOf(row)
    if (text === undefined) continue
    if (!first.has(text)) first.set(text, at)
    else if (!twice.has(text)) twice.set(text, at)
  }
  const placeOf = (at: number): Path => [...before, at, ...after]
  return [...twice].map(([text, at]) => {
    return { path: placeOf(at), message: `${what} ${text} occurs twice`, first: placeOf(first.get(text) ?? 0) }
  })
}
