import { expect, test } from 'vitest'
import { exitCodeOf } from '../bin/cli-error.ts'
import { CertifyError, type CertifyErrorCode, type Outcome } from '../src/index.ts'
import { type FailureRule, FAILURES } from '../src/transport/failures.ts'
import { headingsOf, read } from './package/pages.ts'

/* `unsent` codes come from before a request is sent. The compiler rejects a missing or an extra code. */
const CODES = {
  CONFIG_INVALID: 'unsent',
  INPUT_INVALID: 'unsent',
  CREDENTIALS_UNAVAILABLE: 'sent',
  SERVICE_UNAVAILABLE: 'unsent',
  UNREACHABLE: 'sent',
  ABORTED: 'sent',
  TIMED_OUT: 'sent',
  CONNECTION_LOST: 'sent',
  UNAUTHENTICATED: 'sent',
  FORBIDDEN: 'sent',
  NOT_FOUND: 'sent',
  BAD_USER_INPUT: 'sent',
  RATE_LIMITED: 'sent',
  REDIRECT_REFUSED: 'sent',
  SERVER_FAULT: 'sent',
  RESPONSE_UNREADABLE: 'sent',
  RESPONSE_UNEXPECTED: 'sent',
  RESPONSE_MISMATCHED: 'sent',
  API_ERROR: 'sent',
  REFERENCE_CONFLICT: 'unsent',
  ALREADY_INVITED: 'unsent',
  PRIOR_OUTCOME_UNKNOWN: 'unsent',
  IN_PROGRESS: 'unsent',
  WRONG_SERVICE: 'unsent',
  LEDGER_UNUSABLE: 'unsent',
  CLOCK_SKEW: 'unsent',
} as const satisfies Record<CertifyErrorCode, 'sent' | 'unsent'>

test('docs/errors.md describes every code with its outcomes, retries and exit codes', () => {
  const codes = Object.keys(CODES) as CertifyErrorCode[]
  expect(
    headingsOf('docs/errors.md')
      .filter((heading) => /^[A-Z_]+$/.test(heading))
      .toSorted(),
  ).toEqual(codes.toSorted())
  const rows = [...read('docs/errors.md').matchAll(/^\| \[`(\w+)`\]\(#\w+\)[^|]* \| (.*) \|$/gm)]
  expect(rows.map(([, code, facts]) => `${code} | ${facts}`)).toEqual(codes.flatMap(factsOf))
})

/* The expected rows of the table, from the tables of the program. */
function factsOf(code: CertifyErrorCode): readonly string[] {
  const rules: readonly FailureRule[] = Object.values(FAILURES).filter((rule) => rule.code === code)
  const facts =
    CODES[code] === 'unsent'
      ? [factOf(code, 'not-executed', undefined)]
      : rules.map(({ outcome, retry }) => factOf(code, outcome, retry))
  return [...new Set(facts)]
}

const RETRIED = {
  always: 'creates and queries',
  queries: 'queries',
  later: 'no, but a queue may',
  never: 'never',
}

function factOf(code: CertifyErrorCode, outcome: Outcome, retry: FailureRule['retry']): string {
  const exitCode = (become: Outcome) =>
    exitCodeOf(new CertifyError({ code, outcome: become, message: '' }), AbortSignal.abort('SIGINT'))
  const [create, query] = [exitCode(outcome), exitCode('not-executed')]
  return `${code} | \`${outcome}\` | ${RETRIED[retry ?? 'never']} | ${create === query ? create : `${create}; for a query ${query}`}`
}
