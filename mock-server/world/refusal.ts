/** One reason for a refusal. */
export interface Reason {
  readonly code: string
  readonly message: string
}

/** The service refuses: nothing was changed. The caller receives the code and the message. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
