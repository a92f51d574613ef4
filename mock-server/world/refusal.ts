/** One rule that stands in the way, in words for a person. */
export interface Problem {
  readonly code: string
  readonly message: string
}

/** The service says no: nothing was changed. Its message is what a caller gets to read. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
