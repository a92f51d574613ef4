import type { CertifyError, CertifyErrorCode, Issue } from '../../src/index.ts'
import { certificateHint } from '../certificate-hint.ts'
import { codeOf } from '../cli-error.ts'
import { formatAge } from './numbers.ts'

/**
 * A failure of the SDK in words for a terminal: flags and variables instead of fields and options.
 *
 * @param profileFlag the flag that a hint's command needs for the same profile
 */
export function wordError(error: CertifyError, profileFlag = ''): { readonly message: string; readonly hint: string } {
  return { message: messageOf(error), hint: hintOf(error, profileFlag) }
}

function messageOf(error: CertifyError): string {
  const { code, issues, message, operation } = error
  if (code === 'CONNECTION_LOST') return connectionLost(error)
  if (code === 'INPUT_INVALID') return `${faultsOf(issues)}. Nothing was sent.`
  if (code === 'CONFIG_INVALID' && issues.length > 0) return `The client cannot be used: ${faultsOf(issues)}.`
  if (code === 'ALREADY_INVITED' && issues.length > 0) return differing(error)
  /* The user knows the operation. */
  const start = `${operation}: `
  return message.startsWith(start) ? message.slice(start.length) : message
}

/* The `fetch` of the CLI is part of it: a failure of it is one of the connection. */
function connectionLost({ cause }: CertifyError): string {
  const reason = codeOf(cause)
  return `the connection ended after the request had been sent${reason === undefined ? '' : ` (${reason})`}.`
}

/* The recorded invite has other values than the one to create. */
function differing({ issues, prior }: CertifyError): string {
  const invites = prior.flatMap((send) => send.invites).map((each) => `${each.inviteId}, open until ${each.expiresAt}`)
  const age = formatAge(Math.min(...prior.map(({ ageMs }) => ageMs)))
  const names = issues.map(({ path }) => nameOf(path)).join(', ')
  const which = `${invites.join('; ')}; sent ${age}`
  return `the ledger has an invite for this candidate already (${which}). It differs in ${names}. Nothing was sent.`
}

function hintOf({ code, outcome, issues, cause, hint = '' }: CertifyError, profileFlag: string): string {
  if (outcome === 'unknown') return hint.replace('baseUrl', nameOf('baseUrl'))
  if (outcome === 'executed') return 'It was created: do not call again. Save what came.'
  const ofCertificate = code === 'UNREACHABLE' ? certificateHint(codeOf(cause)) : undefined
  if (ofCertificate !== undefined) return ofCertificate
  return (
    (code === 'CONFIG_INVALID' ? CONFIG_HINTS[issues[0]?.path ?? ''] : hintsFor(profileFlag)[code]) ??
    hint.replace(': see apiMessages', '')
  )
}

function faultsOf(issues: readonly Issue[]): string {
  return issues.map(({ path, rule }) => `${nameOf(path)} ${rule}`).join('; ')
}

function nameOf(path: string): string {
  return NAMES[path] ?? path
}

const NAMES: Readonly<Record<string, string>> = {
  baseUrl: 'the base URL (CERTIFY_BASE_URL or --base-url)',
  apiKey: 'the key (CERTIFY_API_KEY or CERTIFY_API_KEY_FILE)',
  quizId: '--quiz-id',
  packageId: '--package-id',
  'candidate.email': '--email',
  'candidate.name': '--name',
  externalReference: '--external-reference',
  callbackUrl: '--callback-url',
  sendInviteEmail: '--no-send-email',
  search: '--search',
  slug: 'the slug',
  created: '--created',
  path: 'the ledger (--ledger or CERTIFY_LEDGER)',
}

const CONFIG_HINTS: Readonly<Record<string, string>> = {
  baseUrl: 'Give an https address such as https://certify.example.com; the path of the API is added to it.',
  path: 'Give the path of a file.',
}

/* For failures that created nothing. */
const hintsFor = (profileFlag: string): Partial<Record<CertifyErrorCode, string>> => ({
  INPUT_INVALID: 'Correct the command and run it again.',
  UNREACHABLE:
    `Check the address, the network and any proxy (\`certify doctor${profileFlag}\` does), then run it again. For the ` +
    'sandbox, start `certify mock` first.',
  REDIRECT_REFUSED: 'Set CERTIFY_BASE_URL (or --base-url) to the real address of the service.',
  RESPONSE_UNREADABLE: 'Check the base URL (CERTIFY_BASE_URL or --base-url).',
  NOT_FOUND: 'Check the base URL (CERTIFY_BASE_URL or --base-url) and the identifiers.',
  IN_PROGRESS: 'Run it again in a few seconds to get its result.',
  TIMED_OUT: 'Run it again, or allow more time with --timeout and --deadline.',
})
