import type { CertifyError, CertifyErrorCode, Issue } from '../../src/index.ts'
import { type CliError, codeOf } from '../cli-error.ts'
import { escapeControls, formatAge, printable, wrapFor } from './text.ts'
import type { Io } from '../io.ts'
import { say, styling } from './output.ts'

/** The facts that hints depend on. */
interface HintFacts {
  /** The flags that commands in hints need for the same profile and ledger. */
  readonly flags: string
  /** Whether --if-invited reuse was given. */
  readonly isReuse?: boolean
}

/** A failure of the SDK in words for a terminal: flags and variables instead of fields and options. */
export function wordError(
  error: CertifyError,
  facts: HintFacts = { flags: '' },
): { readonly message: string; readonly hint: string } {
  return { message: messageOf(error), hint: hintOf(error, facts) }
}

function messageOf(error: CertifyError): string {
  const { code, issues, message, operation } = error
  if (code === 'INPUT_INVALID') return `${faultsOf(issues)}. Nothing was sent.`
  if (code === 'CONFIG_INVALID' && issues.length > 0) return `The client cannot be used: ${faultsOf(issues)}.`
  if (code === 'ALREADY_INVITED' && issues.length > 0) return differing(error)
  /* The user knows which operation it was. */
  const start = `${operation}: `
  return message.startsWith(start) ? message.slice(start.length) : message
}

/* The recorded invite has other values than the one to create. */
function differing({ issues, prior }: CertifyError): string {
  const invites = prior.flatMap((send) => send.invites).map((each) => `${each.inviteId}, open until ${each.expiresAt}`)
  const age = formatAge(Math.min(...prior.map(({ ageMs }) => ageMs)))
  const names = issues.map(({ path }) => nameOf(path)).join(', ')
  const which = `${invites.join('; ')}; sent ${age}`
  return `the ledger already has an invite for this candidate (${which}). It differs in ${names}. Nothing was sent.`
}

/* The sentence of the SDK, then what only a terminal knows: commands and flags. */
function hintOf(error: CertifyError, facts: HintFacts): string {
  const { code, outcome, hint = '', issues, cause, reference, operation, prior } = error
  const { flags } = facts
  if (code === 'ALREADY_INVITED') return invitedHint(error, facts)
  if (code === 'PRIOR_OUTCOME_UNKNOWN') {
    return `${howToFindOut(prior[0]?.reference, flags)} --if-unknown create sends another anyway.`
  }
  if (code === 'CONFIG_INVALID' && issues[0]?.path === 'baseUrl') return BASE_URL
  /* Only a create has a record. */
  const isCreate = outcome === 'unknown' && operation?.endsWith('.create') === true
  const more = isCreate
    ? `When you know more, resolve it: ${howToResolve(reference, flags)}.`
    : outcome === 'not-executed' && MORE[code]?.replace('FLAGS', flags)
  const start =
    code === 'UNREACHABLE' && codeOf(cause) === 'ECONNREFUSED' && 'For the sandbox, start `certify mock` first.'
  return [hint, more, start].filter(Boolean).join(' ')
}

const BASE_URL = 'Give an https address such as https://certify.example.com; the path of the API is added to it.'

const MORE: Partial<Record<CertifyErrorCode, string>> = {
  UNREACHABLE: '`certify doctorFLAGS` says more.',
  RESPONSE_UNREADABLE: 'Check the base URL (CERTIFY_BASE_URL or --base-url).',
  TIMED_OUT: 'The limits are --timeout and --deadline.',
}

/* The recorded invite can be printed only if its values match the new one, and its link was recorded. */
function invitedHint({ issues, missingQuizIds, prior }: CertifyError, { flags, isReuse = false }: HintFacts): string {
  const last = prior.at(-1)
  const viewed = last?.invites[0]?.inviteId
  const view = `\`certify invites view ${viewed ?? last?.reference ?? '<reference>'}${flags}\``
  if (missingQuizIds.length > 0 || issues.some(({ path }) => path === 'packageId')) {
    const rest = missingQuizIds.length > 0 ? ' Invite to the other quizzes one by one.' : ''
    return `${view} shows the open invite.${rest} --if-invited create sends it anyway.`
  }
  return viewed === undefined || isReuse
    ? `Its link was not recorded: ${view} shows what is known.`
    : 'The ledger may not know whether its link was used. --if-invited reuse prints the recorded invite, --if-invited create ' +
        'sends another.'
}

/** What a person does about an unknown create. */
export function howToFindOut(reference: string | undefined, flags: string): string {
  return (
    'Ask the candidate whether an e-mail came, or the service about the reference and the time. Then resolve it: ' +
    `${howToResolve(reference, flags)}.`
  )
}

/** The command that records what became of an unknown create. */
export function howToResolve(reference: string | undefined, flags: string): string {
  return `\`certify invites resolve ${reference ?? '<reference>'}${flags} --created <invite-id>\` (without the id if it is unknown), or --not-created`
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
  adminSession: 'the session (CERTIFY_SESSION_HEADERS)',
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

interface ReportFacts extends HintFacts {
  readonly exitCode: number
  /** Further facts, such as that the ledger could not record it. */
  readonly notes: readonly string[]
}

/** Reports a failure on stderr: what happened and how to fix it, or one JSON object with the same. */
export function report(
  io: Io,
  json: boolean,
  error: CertifyError | CliError,
  { exitCode, notes, ...facts }: ReportFacts,
): Promise<void> {
  const { message, hint } = 'outcome' in error ? wordError(error, facts) : error
  const words = { message: [message, ...notes].join(' '), hint }
  const text = json
    ? escapeControls(JSON.stringify({ error: { ...asJson(error, words), exitCode } }))
    : asText(io, error, words)
  return say(io.stderr, `${text.trimEnd()}\n`)
}

type Words = ReturnType<typeof wordError>

function asJson(error: CertifyError | CliError, { message, hint }: Words): Record<string, unknown> {
  const { partial } = error
  const saved = partial === undefined ? {} : { partial }
  if (!('outcome' in error)) {
    const { code, details } = error
    return { code, message, hint, ...details, ...saved }
  }
  const { apiMessages } = error
  return { ...error.toJSON(), message, hint, ...(apiMessages.length > 0 && { apiMessages }), ...saved }
}

function asText({ stderr, env }: Io, error: CertifyError | CliError, { message, hint }: Words): string {
  const styled = styling(stderr, env)
  const labelled = (label: string, text: string) => `${wrapFor(`${label} ${printable(text)}`, stderr)}\n`
  const line = (label: string, text: string) => labelled(styled('bold', label), text)
  const lines = [labelled(styled('red', 'error:'), message)]
  if ('lines' in error) lines.push(...error.lines.map((each) => labelled(' ', each)))
  if ('outcome' in error) {
    const words = error.apiMessages.filter((each) => each !== '')
    lines.push(...words.map((each) => line('the service says:', each)))
  }
  if (error.partial !== undefined) lines.push(line('the response (save it):', JSON.stringify(error.partial)))
  lines.push(line('hint:', hint))
  if ('outcome' in error && error.outcome !== 'not-executed') lines.push(line('reference:', error.reference ?? 'none'))
  return lines.join('')
}
