import { TextDecoder } from 'node:util'

/** Decodes text, and throws where it is not clean. */
export class StrictDecoder {
  readonly #decoder: TextDecoder
  readonly #isWindows1252: boolean

  /** @param encoding any label of the Encoding standard */
  constructor(encoding: string) {
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    this.#isWindows1252 = this.#decoder.encoding === 'windows-1252'
  }

  /** The bytes as text; `undefined` ends them. @throws TypeError if they are not in this encoding */
  decode(bytes: Uint8Array | undefined): string {
    const text = this.#decoder.decode(bytes, { stream: bytes !== undefined })
    return this.#isWindows1252 ? text.replaceAll(/[\u0080-\u009f]/g, inWindows1252) : text
  }
}

/** The name of an encoding from its label; `undefined` if there is none. */
export function encodingName(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label, { fatal: true })
    return encoding.startsWith('utf-') ? encoding.toUpperCase() : encoding
  } catch {
    return undefined
  }
}

/* Some versions of Node decode windows-1252 as ISO 8859-1, so these characters become control characters. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function inWindows1252(character: string): string {
  return WINDOWS_1252.charAt(character.charCodeAt(0) - 0x80)
}
