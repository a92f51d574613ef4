import { nearest } from '../spelling.ts'

/** Why a valid address may be mistyped; `undefined` if there is no doubt. It quotes nothing from before the @. */
export function doubtIn(email: string): string | undefined {
  const domain = /@([^@]+)$/.exec(email)?.[1]?.toLowerCase()
  if (domain === undefined) return undefined
  /* Quotation marks, dashes and bullets, which were copied with the address. */
  const odd = /[^\p{L}\p{M}\p{N}\p{ASCII}]/u.exec(email)?.[0].codePointAt(0)
  if (odd !== undefined)
    return `an address has U+${odd.toString(16).toUpperCase().padStart(4, '0')}, which is not a letter`
  if (/^[^\p{L}\p{N}]/u.test(email)) return 'an address begins with a punctuation mark'
  const meant = REAL.has(domain) ? undefined : nearest(domain, PROVIDERS, 0)
  if (meant !== undefined) return `${domain} (${meant}?)`
  if (!domain.includes('.')) return 'a domain has no dot'
  const scripts = email.split(/[@.]/).map((label) => SCRIPTS.filter(([, letters]) => letters.test(label)))
  const mixed = scripts.find(({ length }) => length > 1)
  return mixed && `an address mixes ${mixed.map(([name]) => name).join(' and ')} in one label`
}

const PROVIDERS = [
  'gmail.com',
  'googlemail.com',
  'hotmail.com',
  'outlook.com',
  'yahoo.com',
  'icloud.com',
  'protonmail.com',
]
/* They exist, although they resemble the ones above. */
const REAL: ReadonlySet<string> = new Set([
  ...PROVIDERS,
  'mail.com',
  'email.com',
  'ymail.com',
  'hotmail.co',
  'yahoo.co',
])

/* Scripts with letters that look like another script's. Others are usual next to Latin. */
const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
] as const
