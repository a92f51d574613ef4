/** Something that is wrong with the data of a world, and where. */
export interface WorldProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** For a repeated item: the path of the first one. */
  readonly first?: WorldProblem['path']
  /** Further words of the message. Called only for a problem that is reported, because it may take long. */
  readonly more?: () => string
}

/** A problem as others read it, with its path as text, such as `tracks[2].packages[0].quizIds[1]`. */
export interface ReportedProblem {
  readonly path: string
  readonly message: string
}

/** How many problems one error reports. */
const MAX_REPORTED = 50

/** One error that reports these problems, also as its `problems`. */
export function problemsError(problems: readonly WorldProblem[]): Error {
  const reported = problems.slice(0, MAX_REPORTED).map(({ path, message, first, more }): ReportedProblem => {
    const place = first ? `: first at ${pathText(first)}` : ''
    return { path: pathText(path), message: `${message}${place}${more?.() ?? ''}` }
  })
  const lines = reported.map(({ path, message }) => `- ${path === '' ? '' : `${path}: `}${message}`)
  const more = problems.length > MAX_REPORTED ? [`- and ${problems.length - MAX_REPORTED} more`] : []
  return Object.assign(new Error(['This world is not valid:', ...lines, ...more].join('\n')), { problems: reported })
}

/** The problems that an error reports; `undefined` for another error. */
export function problemsIn(error: unknown): readonly ReportedProblem[] | undefined {
  return error instanceof Error && 'problems' in error ? (error.problems as readonly ReportedProblem[]) : undefined
}

/** The maximum depth of lists and objects in a world. A valid one has six levels. */
export const DEEPEST_WORLD = 50

/** Whether a value has more levels of lists and objects. Not recursive, so that no value is too deep for it. */
export function isDeeper(value: unknown, levels: number): boolean {
  let members: unknown[] = [value]
  for (let level = 0; members.length > 0; level += 1) {
    if (level > levels) return true
    members = members.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}

/** A path as text, such as `tracks[2].name`. */
export function pathText(path: WorldProblem['path']): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
  return steps.join('').replace(/^\./, '')
}
