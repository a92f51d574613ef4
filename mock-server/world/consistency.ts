import { isEmail } from './email-addresses.ts'
import { LEVELS, type Quiz, SCOPES, type Track, type WorldData } from './model.ts'

const MAX_PACKAGES_PER_TRACK = 4

/** Throws one error that names everything in the data that contradicts the specification. */
export function assertConsistent(data: WorldData): void {
  const quizzes = new Map(data.quizzes.map((quiz) => [quiz.id, quiz]))
  const problems = [
    ...duplicates('quiz id', data.quizzes, (quiz) => quiz.id),
    ...duplicates('track id', data.tracks, (track) => track.id),
    ...duplicates('track slug', data.tracks, (track) => track.slug),
    ...duplicates(
      'package id',
      data.tracks.flatMap((track) => track.packages),
      (row) => row.id,
    ),
    ...duplicates('API key name', data.apiKeys, (key) => key.name),
    ...duplicates('API key', data.apiKeys, (key) => key.key),
    ...data.quizzes.flatMap(quizProblems),
    ...data.tracks.flatMap((track) => trackProblems(track, quizzes)),
    ...keyProblems(data),
    ...candidateProblems(data, quizzes),
  ]
  if (problems.length > 0) {
    throw new Error(
      `This world contradicts the specification:\n${problems.map((problem) => `- ${problem}`).join('\n')}`,
    )
  }
}

function quizProblems(quiz: Quiz): string[] {
  const problems: string[] = []
  if (!LEVELS.includes(quiz.level)) problems.push(`quiz ${quiz.id} has the unknown level ${quiz.level}`)
  if (!Number.isInteger(quiz.durationMinutes) || quiz.durationMinutes <= 0) {
    problems.push(`quiz ${quiz.id} lasts ${quiz.durationMinutes} minutes; a whole number above zero is needed`)
  }
  return problems
}

function trackProblems(track: Track, quizzes: ReadonlyMap<string, Quiz>): string[] {
  const problems: string[] = []
  if (track.packages.length > MAX_PACKAGES_PER_TRACK) {
    problems.push(
      `track ${track.id} has ${track.packages.length} packages; a track has at most ${MAX_PACKAGES_PER_TRACK}`,
    )
  }
  for (const pack of track.packages) {
    if (!LEVELS.includes(pack.level)) problems.push(`package ${pack.id} has the unknown level ${pack.level}`)
    problems.push(...duplicates(`quiz of package ${pack.id}`, pack.quizIds, (quizId) => quizId))
    for (const quizId of pack.quizIds) {
      const quiz = quizzes.get(quizId)
      if (!quiz) problems.push(`package ${pack.id} names the unknown quiz ${quizId}`)
      else if (quiz.level !== pack.level) {
        problems.push(`package ${pack.id} is ${pack.level}, but its quiz ${quizId} is ${quiz.level}`)
      }
    }
  }
  return problems
}

function keyProblems(data: WorldData): string[] {
  return data.apiKeys.flatMap(({ name, key, scopes }) => {
    const unknown = scopes
      .filter((scope) => !SCOPES.includes(scope))
      .map((scope) => `API key ${name} has the unknown scope ${scope}`)
    return key.trim() === '' ? [`API key ${name} is blank`, ...unknown] : unknown
  })
}

function candidateProblems(data: WorldData, quizzes: ReadonlyMap<string, Quiz>): string[] {
  return data.candidates.flatMap(({ email, certifications = [], attempts = [] }) => {
    const problems = isEmail(email, 'accept') ? [] : [`candidate ${email} has no valid e-mail address`]
    for (const { quizId } of [...certifications, ...attempts]) {
      if (!quizzes.has(quizId)) problems.push(`candidate ${email} has a history with the unknown quiz ${quizId}`)
    }
    problems.push(...duplicates(`attempt in progress of ${email}`, attempts, (attempt) => attempt.quizId))
    return problems
  })
}

function duplicates<Row>(what: string, rows: readonly Row[], textOf: (row: Row) => string): string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const row of rows) {
    const text = textOf(row)
    if (seen.has(text)) twice.add(text)
    seen.add(text)
  }
  return [...twice].map((text) => `${what} ${text} occurs twice`)
}
