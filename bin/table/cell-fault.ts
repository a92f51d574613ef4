/** A value in a sheet that must not be used. */
export class CellFault {
  readonly #text: string
  readonly rule: string

  /** @param text the value as it is shown */
  constructor(text: string, rule: string) {
    this.#text = text
    this.rule = rule
  }

  toString(): string {
    return this.#text
  }
}
