/** Ends this program as one that it ran has ended: with its exit code, and without a word of its own. */
export class ChildExit extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`the command ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}
