import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { exitCodeOf } from '../../bin/exit-codes.ts'
import { CertifyError, type CertifyErrorCode, type Outcome } from '../../src/index.ts'
import { FAILURES, type FailureRule } from '../../src/transport/failures.ts'
import { compile, lend, repository, runIn } from './consumer.ts'
import { codeIn, commandIn, filesOf, project } from './page-programs.ts'

/* The compiler refuses a list that lacks a code, or has one too many. What no request fails with is never sent. */
const ALL = {
  CONFIG_INVALID: 'never sent',
  INPUT_INVALID: 'never sent',
  CREDENTIALS_UNAVAILABLE: 'of a request',
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
  ALREADY_INVITED: 'never sent',
  PRIOR_OUTCOME_UNKNOWN: 'never sent',
  IN_PROGRESS: 'never sent',
  LEDGER_UNUSABLE: 'never sent',
  CLOCK_SKEW: 'never sent',
} as const satisfies Record<CertifyErrorCode, 'of a request' | 'never sent'>
const CODES = Object.keys(ALL) as CertifyErrorCode[]

const consumer = inject('consumer')
const overview = readFileSync(join(repository, 'docs/errors.md'), 'utf8')
const pageOf = (code: CertifyErrorCode): string => readFileSync(join(repository, `docs/errors/${code}.md`), 'utf8')
const fileOf = (code: CertifyErrorCode): string => `${code.toLowerCase().replaceAll('_', '-')}.ts`

test('every code has a page and a row of the overview, and no page or row has another code', () => {
  const pages = readdirSync(join(repository, 'docs/errors')).map((name) => name.replace(/\.md$/, ''))
  const rows = [...overview.matchAll(/^\| \[`(\w+)`\]\(errors\/(\w+)\.md\) \|/gm)]
  expect(pages.toSorted()).toEqual(CODES.toSorted())
  expect(rows.map(([, name, page]) => [name, page])).toEqual(CODES.map((code) => [code, code]))
  for (const code of CODES) expect(pageOf(code).split('\n', 1)).toEqual([`# ${code}`])
})

test.each(CODES)('the page of %s has the outcomes, the retries and the exit codes of the program', (code) => {
  const rows = [...pageOf(code).matchAll(/^\| [^|]+ \| (`[^|]+`) \| ([^|]+) \| (\d[^|]*) \|$/gm)].map(([, ...cells]) =>
    cells.join(' | '),
  )
  expect(rows.toSorted()).toEqual([...new Set(factsOf(code))].toSorted())
  const outcomes = new Set(factsOf(code).map((row) => row.split(' | ', 1)[0]))
  const cell = overview.match(new RegExp(`^\\| \\[\`${code}\`\\][^|]+\\|[^|]+\\| ([^|]+) \\|$`, 'm'))?.[1]
  expect(new Set(cell?.split(' or '))).toEqual(outcomes)
})

test('the guide to unknown outcomes lists every code that can have this outcome', () => {
  const guide = readFileSync(join(repository, 'docs/unknown-outcomes.md'), 'utf8')
  const [, list = ''] = /^These codes can have this outcome: ([^.]*)\./m.exec(guide) ?? []
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, code]) => code)
  expect(named).toEqual(CODES.filter((code) => factsOf(code).some((row) => row.startsWith('`unknown`'))))
})

test('the pages are short, and all have the same shape', () => {
  const titles = CODES.map((code) => pageOf(code).match(/^## .*|^\*\*For the candidate\.\*\*|^See also: /gm))
  const shape = ['**For the candidate.**', '## What to do', '## Try it', 'See also: ']
  expect(titles).toEqual(CODES.map(() => shape))
  expect(Math.max(...CODES.map((code) => pageOf(code).split('\n').length))).toBeLessThanOrEqual(58)
})

test('the program of each page compiles, and ends in its error with an outcome of the page and the printed values', () => {
  lend(consumer, 'better-sqlite3')
  const files = Object.fromEntries(CODES.flatMap((code) => Object.entries(filesOf(`docs/errors/${code}.md`))))
  expect(Object.keys(files)).toEqual(CODES.map(fileOf))
  const driver = `${CODES.map((code) => `console.log('# ${code}')\nawait import('./${fileOf(code).replace(/ts$/, 'mjs')}')`).join('\n')}\n`
  const folder = project(consumer, 'error-pages', { ...files, 'all.mjs': driver })
  expect(compile(consumer, folder, ...Object.keys(files))).toBe('')
  const { status, stdout, stderr } = runIn(folder, 'node', ['all.mjs'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toBe(CODES.map((code) => `# ${code}\n${printedBy(code)}\n`).join(''))
})

/* Only a person can press Ctrl-C, and no function of the CLI returns a key. */
const PROVOKED = CODES.filter((code) => code !== 'ABORTED' && code !== 'CREDENTIALS_UNAVAILABLE')

test.each(PROVOKED)('the command of the page of %s ends in its error with the exit code of the page', (code) => {
  const command = codeIn(`docs/errors/${code}.md`, 'sh')[0]
  lend(consumer, 'better-sqlite3')
  const exitCode = Number(pageOf(code).match(/^In a terminal, this ends with exit code (\d):$/m)?.[1])
  expect(factsOf(code).map((each) => each.split(' | ')[2])).toContainEqual(expect.stringMatching(`\\b${exitCode}\\b`))
  const { status, stderr } = commandIn(consumer, `error-${code}`, command ?? '', { CERTIFY_JSON: '1' })
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  expect({ status, last: JSON.parse(last) as unknown }).toMatchObject({
    status: exitCode,
    last: { error: { code, exitCode } },
  })
})

/* What the page says that its program prints. */
function printedBy(code: CertifyErrorCode): string {
  const printed = pageOf(code).match(/It prints `([^`]+)`/)?.[1] ?? ''
  const outcomes = factsOf(code).map((row) => row.split('`')[1])
  expect([code, outcomes]).toEqual([printed.split(' ')[0], expect.arrayContaining([printed.split(' ')[1]])])
  return printed
}

/* The rows of the table of a page, from the tables of the program. */
function factsOf(code: CertifyErrorCode): readonly string[] {
  if (ALL[code] === 'never sent') return [fact(code, 'not-executed', undefined)]
  const rules: readonly FailureRule[] = Object.values(FAILURES)
  return rules.filter((rule) => rule.code === code).map(({ outcome, retry }) => fact(code, outcome, retry))
}

function fact(code: CertifyErrorCode, outcome: Outcome, retry: FailureRule['retry']): string {
  const exitCode = (become: Outcome) =>
    exitCodeOf(new CertifyError({ code, outcome: become, message: '' }), AbortSignal.abort('SIGINT'))
  const [create, query] = [exitCode(outcome), exitCode('not-executed')]
  const retried = retry === undefined ? 'never' : retry === 'always' ? 'creates and queries' : 'queries'
  return `\`${outcome}\` | ${retried} | ${create === query ? create : `${create}; for a query ${query}`}`
}

test('every page of a code is in the package', () => {
  for (const code of CODES)
    expect(existsSync(join(consumer, `node_modules/certify-sdk/docs/errors/${code}.md`))).toBe(true)
})
