import { domainToUnicode } from 'node:url'
import { nearest } from '../spelling.ts'
import { codePointName } from '../text-fault.ts'

/** Why a valid address may be mistyped; `undefined` if there is no doubt. It quotes nothing from before the @. */
export function addressWarning(given: string): string | undefined {
  const [, local = '', host = ''] = /^([^@]*)@([^@]+)$/.exec(given) ?? []
  if (host === '') return undefined
  /* `xn--…` is read as its letters. */
  const domain = (domainToUnicode(host) || host).toLowerCase()
  const email = `${local}@${domain}`
  /* Quotation marks, dashes and bullets, which were copied with the address. */
  const odd = /[^\p{L}\p{M}\p{N}\p{ASCII}]/u.exec(email)?.[0]
  if (odd !== undefined) return `an address has ${codePointName(odd)}, which is not a letter`
  if (/^[^\p{L}\p{N}]/u.test(email)) return 'an address begins with a punctuation mark'
  const meant = REAL.has(domain) ? undefined : nearest(domain, PROVIDERS, 0)
  if (meant !== undefined) return `${domain} (${meant}?)`
  if (!domain.includes('.')) return 'a domain has no dot'
  const scripts = email.split(/[@.]/).map((label) => SCRIPTS.filter(([, letters]) => letters.test(label)))
  const mixed = scripts.find(({ length }) => length > 1)
  return mixed && `an address mixes ${mixed.map(([name]) => name).join(' and ')} in one label`
}

/** Why a name may mislead who reads it, or pretend to be an address; `undefined` if there is no doubt. */
export function nameWarning(name: string): string | undefined {
  const mark = /[@<>]/.exec(name)?.[0]
  if (mark !== undefined) return `it has ${mark}, as an address has`
  const blank = BLANK.exec(name)?.[0]
  return blank && `it has ${codePointName(blank)}, which shows nothing`
}

/* Names in some scripts need the joiner and the non-joiner. Two are drawn without ink, although they are symbols. */
const BLANK = /(?![\u200c\u200d])[\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/u

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
