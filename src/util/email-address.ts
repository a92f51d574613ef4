import { parseUrl } from './url.ts'

/** The maximum length of an address, in characters. Source: RFC 5321, 4.5.3.1.3. */
export const MAX_ADDRESS_LENGTH = 254

/**
 * Why a text cannot be an e-mail address, without quoting it; `undefined` if it may be one.
 *
 * The local part follows the rule of browsers, plus the letters of RFC 6531. The domain is a host name, or one that the
 * runtime's `URL` can convert to a host name. Only the service knows whether an address exists and is supported. A
 * quoted local part is refused: it would be another spelling of the same mailbox.
 */
export function emailFault(text: string): string | undefined {
  /* Checked first: the exact rules below may be slow for long texts. */
  if (text.length > MAX_ADDRESS_LENGTH) return `is longer than ${MAX_ADDRESS_LENGTH} characters`
  const [local, domain, more] = text.split('@')
  const odd = ODD.exec(text)
  if (odd === null && local !== '' && more === undefined && isHost(asciiDomain(domain ?? ''))) return undefined
  if (text === '') return 'is empty'
  if (domain === undefined) return 'has no @'
  if (more !== undefined) {
    const between = text.slice(text.indexOf('@'), text.lastIndexOf('@'))
    return /[\s,;/|]/.test(between) ? 'holds two addresses' : 'has more than one @'
  }
  if (odd !== null) {
    /* Counted from 1, in characters. */
    const position = Array.from(text.slice(0, odd.index)).length + 1
    return `has ${nameOf(odd[0])} at position ${position}`
  }
  if (local === '' || domain === '') return 'has nothing before or after its @'
  return domain.split('.').includes('') ? 'has a dot too many in its domain' : 'has no valid domain'
}

/* White space, invisible characters, lone surrogates, and what only a quoted local part may have. */
const ODD = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}"(),:;<>[\\\]]/u
const LABEL = /^(?!-)[a-z\d-]{1,63}$/i

function isHost(domain: string): boolean {
  return domain.split('.').every((label) => LABEL.test(label) && !label.endsWith('-'))
}

/** A domain in ASCII; empty if it cannot be converted. `URL` would end a host at one of these characters. */
export function asciiDomain(domain: string): string {
  if (/^[ -~]*$|[!-,/:-@[-`{-~]/.test(domain)) return domain
  return parseUrl(`http://${domain}`)?.hostname ?? ''
}

function nameOf(character: string): string {
  if (character === ' ') return 'a space'
  if (/[!-~]/.test(character)) return character
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
}
