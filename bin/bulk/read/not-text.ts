import type { CliError } from '../../cli-error.ts'
import { printable } from '../../terminal/printable.ts'
import { type Guess, guessEncodings, guessUtf16 } from './encoding-guess.ts'
import { fileError } from './file-error.ts'

/** Where the text of a file ends, and what is known then. */
export interface Fault {
  readonly encoding: string
  /** The line of the first byte that is no text, and which line of `bytes` that is; both from 1. */
  readonly line: number
  readonly lineInBytes: number
  /** Some of the file around that byte. */
  readonly bytes: Uint8Array
  readonly isStart: boolean
  readonly isNul: boolean
  /** Whether text before it has characters beyond ASCII. */
  readonly hadOthers: boolean
  /** Whether whoever reads the error may see the file's data. */
  readonly showsData: boolean
}

/** The error of a file that is not text in its encoding: it says what it may be instead. */
export function notText(fault: Fault): CliError {
  const { encoding, line, bytes, isStart, isNul, hadOthers } = fault
  const utf16 = isStart && encoding === 'UTF-8' ? guessUtf16(bytes) : undefined
  const message = `line ${line} of the file is no text in ${encoding}`
  if (utf16 !== undefined) {
    return fileError(
      `${message}: the file seems to be ${utf16} without a byte order mark.`,
      `Give --encoding ${utf16}.`,
    )
  }
  if (isNul) return fileError(`${message}: it has a NUL byte.`, 'Find out which program wrote it, and write it again.')
  if (encoding !== 'UTF-8') return fileError(`${message}.`, 'Give another --encoding, or save the file as UTF-8.')
  if (hadOthers) {
    const mixed = `${message}, but lines before it have characters in UTF-8: the file mixes encodings.`
    return fileError(mixed, `Correct it from line ${line} on: two files may have been joined.`)
  }
  const guesses = guessEncodings(bytes)
  if (guesses.length === 0) return fileError(`${message}.`, 'Save it as UTF-8: in Excel, "CSV UTF-8".')
  const samples = guesses.map((guess) => `in ${guess.encoding}: “${sample(guess, fault)}”`)
  return fileError(
    `${message}. It would be clean text in other encodings; line ${line} ${samples.join('; ')}.`,
    'Give --encoding with the one that reads correctly, or save the file as UTF-8: in Excel, "CSV UTF-8".',
  )
}

/* The line in this encoding. Where its data must not be seen, one character of each word is left. */
function sample({ text }: Guess, { lineInBytes, showsData }: Fault): string {
  const line = printable(text.split(/\r\n|[\r\n]/)[lineInBytes - 1] ?? '')
  const first = Math.max(0, line.search(/[^\p{ASCII}]/u))
  const part = line.slice(Math.max(0, first - SAMPLE_BEFORE), first + SAMPLE_AFTER).replaceAll(/\p{Cs}/gu, '')
  return showsData ? part : part.replaceAll(/[\p{L}\p{M}\p{N}]+/gu, masked)
}

const SAMPLE_BEFORE = 40
const SAMPLE_AFTER = 40

function masked(word: string): string {
  const letters = Array.from(word)
  const first = letters.findIndex((letter) => !/\p{ASCII}/u.test(letter))
  return letters.map((letter, index) => (index === first ? letter : '·')).join('')
}
