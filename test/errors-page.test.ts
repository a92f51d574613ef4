import { expect, test } from 'vitest'
import { exitCodeOf } from '../bin/cli-error.ts'
import { CertifyError, type CertifyErrorCode, type Outcome } from '../src/index.ts'
import { systemClock } from '../src/clock.ts'
import { inputInvalid, optionsInvalid } from '../src/errors.ts'
import * as ledgerErrors from '../src/ledger/rules/errors.ts'
import type { LedgerRecord } from '../src/ledger/rules/model.ts'
import { CircuitBreaker } from '../src/transport/breaker.ts'
import {
  describeFailure,
  type FailureKind,
  FAILURES,
  isRepeated,
  type OperationKind,
  outcomeOf,
} from '../src/transport/failures.ts'
import { failureOf } from './src/failing.ts'
import { headingsOf, read } from './package/pages.ts'

const RECORD = {
  baseUrl: 'https://certify.test',
  account: 'default',
  world: '',
  reference: 'hire-4711',
  sentAt: '2030-01-01T00:00:00Z',
  invites: [],
} as unknown as LedgerRecord

/* A code of the transport, or the error that comes from elsewhere before a request. The compiler rejects a missing or an extra code. */
const CODES: Readonly<Record<CertifyErrorCode, 'of a request' | CertifyError>> = {
  CONFIG_INVALID: optionsInvalid('the client', []),
  INPUT_INVALID: inputInvalid('invites.create', []),
  CREDENTIALS_UNAVAILABLE: 'of a request',
  SERVICE_UNAVAILABLE: await whileOpen(),
  UNREACHABLE: 'of a request',
  ABORTED: 'of a request',
  TIMED_OUT: 'of a request',
  CONNECTION_LOST: 'of a request',
  UNAUTHENTICATED: 'of a request',
  FORBIDDEN: 'of a request',
  NOT_FOUND: 'of a request',
  BAD_USER_INPUT: 'of a request',
  RATE_LIMITED: 'of a request',
  REDIRECT_REFUSED: 'of a request',
  SERVER_FAULT: 'of a request',
  RESPONSE_UNREADABLE: 'of a request',
  RESPONSE_UNEXPECTED: 'of a request',
  RESPONSE_MISMATCHED: 'of a request',
  API_ERROR: 'of a request',
  REFERENCE_CONFLICT: ledgerErrors.referenceConflict('invites.create', RECORD, [], 0, RECORD),
  ALREADY_INVITED: ledgerErrors.alreadyInvited('invites.create', [RECORD], 0),
  PRIOR_OUTCOME_UNKNOWN: ledgerErrors.priorUnknown('invites.create', [RECORD], 0),
  IN_PROGRESS: ledgerErrors.inProgress('invites.create', [RECORD], 0),
  WRONG_SERVICE: ledgerErrors.wrongService(
    'a.ledger',
    'default',
    { baseUrl: 'https://a.test', former: [] },
    'https://b.test',
  ),
  LEDGER_UNUSABLE: ledgerErrors.ledgerUnusable('the disk is full', ''),
  CLOCK_SKEW: ledgerErrors.clockBehind('a.ledger', 0, 1),
}

/* The circuit breaker opens when the only create in flight is lost. */
async function whileOpen(): Promise<CertifyError> {
  const breaker = new CircuitBreaker(systemClock)
  const waiting = { operation: 'invites.create', runtime: systemClock, endsAt: 0, timeoutMs: 1, probeMs: 1 }
  const probe = () => new Promise(() => {})
  const permit = await breaker.admit({ ...waiting, endsAt: Number.POSITIVE_INFINITY, probe })
  const lost = new CertifyError({ code: 'SERVER_FAULT', outcome: 'unknown', message: 'lost' })
  await breaker.record(permit, Promise.reject(lost), {}).catch(() => {})
  return failureOf(breaker.admit({ ...waiting, probe }))
}

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

/* The expected rows of the table, from the tables and the errors of the program. */
function factsOf(code: CertifyErrorCode): readonly string[] {
  const error = CODES[code]
  if (error !== 'of a request') return [factOf(error.code, error.outcome, 'nothing', error.retryable ? 'yes' : 'no')]
  const kinds = (Object.keys(FAILURES) as FailureKind[]).filter((kind) => FAILURES[kind].code === code)
  const facts = kinds.map((kind) => {
    const is = (fact: (of: OperationKind) => boolean) =>
      fact('mutation') ? 'creates' : fact('query') ? 'queries' : 'none'
    const isRetryable = (of: OperationKind) => describeFailure({ name: 'x', kind: of }, { kind }).retryable === true
    return factOf(
      code,
      outcomeOf('mutation', kind),
      REPEATED[is((of) => isRepeated(of, kind))],
      RETRYABLE[is(isRetryable)],
    )
  })
  return [...new Set(facts)]
}

/* What is repeated for a create is repeated for a query, too. */
const REPEATED = { creates: 'creates and queries', queries: 'queries', none: 'nothing' }
const RETRYABLE = { creates: 'yes', queries: 'only a query', none: 'no' }

function factOf(code: CertifyErrorCode, outcome: Outcome, repeated: string, retryable: string): string {
  const exitCode = (become: Outcome) =>
    exitCodeOf(new CertifyError({ code, outcome: become, message: '' }), AbortSignal.abort('SIGINT'))
  const [create, query] = [exitCode(outcome), exitCode('not-executed')]
  const exits = create === query ? create : `${create}; for a query ${query}`
  return `${code} | \`${outcome}\` | ${repeated} | ${retryable} | ${exits}`
}
