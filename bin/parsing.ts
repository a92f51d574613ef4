/** Whether a parsed JSON value is an object, not a list or null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Runs a parser. Some make an error for each wrong character or row: with their stacks, it takes two to four times as long. */
export function withoutStacks<Result>(parse: () => Result): Result {
  const { stackTraceLimit } = Error
  try {
    Error.stackTraceLimit = 0
    return parse()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
