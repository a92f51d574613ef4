import type { CertifyError } from '../../src/index.ts'

/** A failure of the SDK in the words of a terminal: flags and variables in place of fields and options. */
export function inTerminalWords(error: CertifyError): { readonly message: string; readonly hint: string } {
  const { code, outcome, issues } = error
  if (code === 'INPUT_INVALID') {
    const faults = issues.map(({ path, rule }) => `${FLAGS[path] ?? path} ${rule}`).join('; ')
    return { message: `${faults}. Nothing was sent.`, hint: 'Correct the command and run it again.' }
  }
  const named = code === 'ALREADY_INVITED' ? withFlags(error) : error.message
  const message = translated(named.replace(/^[\w.]+: /, ''))
  const hint = (outcome === 'not-executed' ? HINTS[code] : undefined) ?? translated(error.hint ?? '')
  return { message, hint }
}

/* The fields in which a recorded invite differs. */
function withFlags({ message, issues }: CertifyError): string {
  const fields = issues.map(({ path }) => path)
  return message.replace(
    `differs in ${fields.join(', ')}.`,
    `differs in ${fields.map((path) => FLAGS[path] ?? path).join(', ')}.`,
  )
}

function translated(text: string): string {
  return text
    .replace(/, or set allowInsecureHttp[^.]*/, '')
    .replace('What came is in `partial`; save it.', 'Save what came.')
    .replaceAll(/\b(?:baseUrl|apiKey)\b/g, (name) => OPTIONS[name] ?? name)
}

const OPTIONS: Readonly<Record<string, string>> = {
  baseUrl: 'the base URL (CERTIFY_BASE_URL or --base-url)',
  apiKey: 'the key (CERTIFY_API_KEY or CERTIFY_API_KEY_FILE)',
}

const FLAGS: Readonly<Record<string, string>> = {
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
}

const HINTS: Partial<Record<CertifyError['code'], string>> = {
  UNREACHABLE:
    'Check the address, the network and any proxy (certify doctor does), then run it again. For the sandbox, start ' +
    '`certify mock` first.',
  REDIRECT_REFUSED: 'Set CERTIFY_BASE_URL (or --base-url) to the address that the service really has.',
  BAD_USER_INPUT:
    'Correct the input; the same command would be refused again. `certify tracks view <slug>` shows the ids: one of a ' +
    'quiz is for invites create, one of a package for package-invites create.',
  API_ERROR: 'Correct the input; the same command would be refused again.',
  TIMED_OUT: 'Run it again, or give it longer with --timeout and --deadline.',
}
