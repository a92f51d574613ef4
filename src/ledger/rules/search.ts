import { inviteIdsOf, type NewRecord } from './record.ts'

/** The most characters of a search. */
export const MAX_SEARCH_LENGTH = 200

/** The words of a search. A record matches if its {@link searchText} contains each. */
export function wordsOf(search: string): readonly string[] {
  return [...new Set(folded(search).split(/[\s(),]+/))].filter((word) => word !== '')
}

/** What a search finds a record by: all that a list shows of it. */
export function searchText(record: NewRecord): string {
  const { input, reference, title, level, packageName, campaign, quizId, packageId, invites, earlierInvites } = record
  const { email, name } = input.candidate
  const own = 'externalReference' in input ? input.externalReference : undefined
  const skills = [...invites, ...(earlierInvites ?? [])].flatMap(({ skillName, level: each }) => [skillName, each])
  const ids = [reference, ...(record.reusedBy ?? []), own, quizId, packageId, ...inviteIdsOf(record)]
  const texts = [...new Set([email, name, title, level, packageName, campaign, ...ids, ...skills])]
    .slice(0, MAX_TEXTS)
    .map((text = '') => text.slice(0, MAX_TEXT_LENGTH))
  /* Each create does this, and most texts are plain. */
  const text = texts.join('\n')
  return PLAIN.test(text) ? text.toUpperCase() : texts.map(folded).join('\n')
}

/* Normalizing takes quadratic time. */
const MAX_TEXT_LENGTH = 500
const MAX_TEXTS = 200

const PLAIN = /^[ -~\n]*$/

/* In upper case, where ß is SS and no letter has a final form. Lower case first: ẞ has none. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .toUpperCase()
    .replaceAll(/[ÆŒØŁĐÐÞĦ]/g, (letter) => BARE[letter] ?? letter)
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ')
}

/* Unicode does not decompose these. */
const BARE: Readonly<Record<string, string>> = { Æ: 'AE', Œ: 'OE', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH', Ħ: 'H' }
