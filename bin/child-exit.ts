/** Ends this program with the exit code of a program that it ran, without a message. */
export class ChildExit extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`the command ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}
