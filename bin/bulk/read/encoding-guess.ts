import { StrictDecoder } from '../options/encoding.ts'

/** An encoding in which bytes are clean text, and that text. */
export interface Guess {
  readonly encoding: string
  readonly text: string
}

/** The two or three likeliest encodings of bytes that are not UTF-8, the likeliest first; fewer if fewer are possible. */
export function guessEncodings(bytes: Uint8Array): readonly Guess[] {
  const seen = new Set<string>()
  const ranked = ENCODINGS.flatMap((encoding) => {
    const text = cleanText(bytes, encoding)
    if (text === undefined || seen.has(text)) return []
    seen.add(text)
    return [{ encoding, text, score: score(text) }]
  }).toSorted((one, other) => other.score - one.score)
  const best = ranked[0]?.score ?? 0
  return ranked.filter((each, index) => index < 2 || each.score > best - MUCH).slice(0, 3)
}

/** The form of UTF-16 of bytes without a mark; `undefined` if they are something else. */
export function guessUtf16(bytes: Uint8Array): 'UTF-16LE' | 'UTF-16BE' | undefined {
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2))
  return (['UTF-16LE', 'UTF-16BE'] as const).find((encoding) => {
    const text = cleanText(even, encoding)
    /* Read the wrong way round, the delimiters and digits of a table become rare characters. */
    return text !== undefined && (text.match(/[\n\r\t ,;@.0-9]/g)?.length ?? 0) > text.length / 20
  })
}

/* Of two that read the same, the first is named. */
const ENCODINGS = [
  'windows-1252',
  'macintosh',
  'windows-1250',
  'windows-1251',
  'shift_jis',
  'gb18030',
  'euc-kr',
  'big5',
  'euc-jp',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'koi8-r',
  'ibm866',
]

/* The difference of scores that leaves no doubt. */
const MUCH = 1

/* The end may be in the middle of a character. */
function cleanText(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    const text = new StrictDecoder(encoding).decode(bytes)
    return /[\ufffd\p{Co}\p{Cn}]|(?![\t\n\r])\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/* How much the characters beyond ASCII look like those of names: the mean of the first. */
function score(text: string): number {
  let [sum, count] = [0, 0]
  for (const [letter, before, after] of text.matchAll(/(?<=(.?))[^\p{ASCII}](?=(.?))/gsu)) {
    sum += likelihood(letter, before, after)
    count += 1
    if (count === MOST_SCORED) break
  }
  return count === 0 ? 0 : sum / count
}

const MOST_SCORED = 2000

function likelihood(letter: string, before = '', after = ''): number {
  const isInWord = /\p{L}/u.test(before) || /\p{L}/u.test(after)
  if (!/\p{L}/u.test(letter)) return /[’\u00a0]/.test(letter) ? 0 : isInWord ? -2 : -1
  const neighbours = [before, after].filter((each) => /\p{L}/u.test(each))
  if (neighbours.some((each) => scriptOf(each) !== scriptOf(letter))) return -3
  const isInnerCapital = /\p{Lu}/u.test(letter) && /\p{L}/u.test(before) && /\p{Ll}/u.test(before + after)
  if (isInnerCapital || /[\p{Lm}ªº\uff61-\uff9f]/u.test(letter)) return -2
  /* Accents rarely meet. */
  const meetsAccent = scriptOf(letter) === 'Latin' && neighbours.some((each) => !/\p{ASCII}/u.test(each))
  return meetsAccent ? -1 : isInWord ? 2 : 0
}

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['East Asian', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u],
  ['Hangul', /\p{Script=Hangul}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Arabic', /\p{Script=Arabic}/u],
]

function scriptOf(letter: string): string | undefined {
  return SCRIPTS.find(([, pattern]) => pattern.test(letter))?.[0]
}
