import { candidateKeyOf, isEmail } from './email-addresses.ts'
import type {
  ApiKey,
  BehaviourSwitches,
  CandidateHistory,
  Package,
  Quiz,
  Track,
  WorldData,
} from '../generated/contract.ts'
import { didYouMean } from './near-names.ts'
import { problemsError, type WorldProblem } from './problems.ts'

/** Throws one error that names everything in the data that contradicts the specification. */
export function assertConsistent(data: WorldData): void {
  const problems = contradictions(data)
  if (problems.length > 0) throw problemsError(problems)
}

/** Everything in the data that contradicts the specification. */
export function contradictions({ quizzes, tracks, candidates, apiKeys }: WorldData): WorldProblem[] {
  const known = new Map(quizzes.map((quiz) => [quiz.id, quiz]))
  const packages = tracks.flatMap((track, at) =>
    track.packages.map((pack, place) => ({ text: pack.id, path: ['tracks', at, 'packages', place, 'id'] })),
  )
  return [
    ...repeated('quiz id', named('quizzes', 'id', quizzes)),
    ...repeated('track id', named('tracks', 'id', tracks)),
    ...repeated('track slug', named('tracks', 'slug', tracks)),
    ...repeated('package id', packages),
    ...tracks.flatMap((track, at) => trackProblems(track, known, ['tracks', at])),
    ...candidates.flatMap((each, at) => candidateProblems(each, known, ['candidates', at])),
    ...repeated('API key name', named('apiKeys', 'name', apiKeys)),
    ...sameKeys(apiKeys),
  ]
}

/** The texts of one member in a list of the data. */
function named<Name extends string>(list: string, member: Name, rows: readonly Readonly<Record<Name, string>>[]) {
  return rows.map((row, at) => ({ text: row[member], path: [list, at, member] }))
}

/** Candidates that are listed more than once. Which addresses are the same depends on a switch. */
export function repeatedCandidates(
  { candidates }: Pick<WorldData, 'candidates'>,
  identity: BehaviourSwitches['candidateIdentity'],
): WorldProblem[] {
  const first = new Map<string, number>()
  return candidates.flatMap(({ email }, at) => {
    const key = candidateKeyOf(email, identity)
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, at)
    const message = `this is the same candidate as candidates[${earlier}]: list both histories in one place`
    return earlier === undefined ? [] : [{ path: ['candidates', at, 'email'], message }]
  })
}

/** A track has at most one package of each level, and so at most four. */
function trackProblems({ id, packages }: Track, quizzes: KnownQuizzes, path: Path): WorldProblem[] {
  const levels = packages.map(({ level }, at) => ({ text: level, path: [...path, 'packages', at, 'level'] }))
  return [
    ...repeated(`in track ${id}, a package of level`, levels),
    ...packages.flatMap((pack, at) => packageProblems(pack, quizzes, [...path, 'packages', at, 'quizIds'])),
  ]
}

function packageProblems({ id, level, quizIds }: Package, quizzes: KnownQuizzes, path: Path): WorldProblem[] {
  return [
    ...repeated(
      `quiz of package ${id}`,
      quizIds.map((quizId, at) => ({ text: quizId, path: [...path, at] })),
    ),
    ...quizIds.flatMap((quizId, at) => {
      const quiz = quizzes.get(quizId)
      if (!quiz) return [unknownQuiz(`package ${id} names the unknown quiz`, quizId, quizzes, [...path, at])]
      if (quiz.level === level) return []
      return [{ path: [...path, at], message: `package ${id} is ${level}, but its quiz ${quizId} is ${quiz.level}` }]
    }),
  ]
}

function candidateProblems(
  { email, certifications = [], attempts = [] }: CandidateHistory,
  quizzes: KnownQuizzes,
  path: Path,
): WorldProblem[] {
  const unknown = (list: 'certifications' | 'attempts', history: readonly { readonly quizId: string }[]) =>
    history.flatMap(({ quizId }, at) => {
      const place = [...path, list, at, 'quizId']
      const what = `candidate ${email} has a history with the unknown quiz`
      return quizzes.has(quizId) ? [] : [unknownQuiz(what, quizId, quizzes, place)]
    })
  const running = attempts.map(({ quizId }, at) => ({ text: quizId, path: [...path, 'attempts', at, 'quizId'] }))
  const isWrong = !isEmail(email, 'accept')
  return [
    ...(isWrong ? [{ path: [...path, 'email'], message: `candidate ${email} has no valid e-mail address` }] : []),
    ...unknown('certifications', certifications),
    ...unknown('attempts', attempts),
    ...repeated(`attempt in progress of ${email}`, running),
  ]
}

/** Keys that are equal. A message names them: their text is a secret. */
function sameKeys(keys: readonly ApiKey[]): WorldProblem[] {
  return keys.flatMap(({ name, key }, at) => {
    const earlier = keys.slice(0, at).find((each) => each.key === key)
    const message = `API key keys must differ: ${name} has the key of ${earlier?.name}`
    return earlier ? [{ path: ['apiKeys', at, 'key'], message }] : []
  })
}

function unknownQuiz(what: string, quizId: string, quizzes: KnownQuizzes, path: Path): WorldProblem {
  return { path, message: `${what} ${quizId}`, more: () => didYouMean(quizId, [...quizzes.keys()]) }
}

type KnownQuizzes = ReadonlyMap<string, Quiz>
type Path = WorldProblem['path']

/** The texts that occur earlier in the list, each once. */
function repeated(what: string, list: readonly { readonly text: string; readonly path: Path }[]): WorldProblem[] {
  const first = new Map<string, Path>()
  const twice = new Map<string, WorldProblem>()
  for (const { text, path } of list) {
    const earlier = first.get(text)
    if (!earlier) first.set(text, path)
    else if (!twice.has(text)) twice.set(text, { path, message: `${what} ${text} occurs twice`, first: earlier })
  }
  return [...twice.values()]
}
