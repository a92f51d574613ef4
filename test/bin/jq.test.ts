import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Io } from '../../bin/io.ts'
import { createRunner } from './run.ts'

const CREATE = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com']

/* In place of the program: what it does with a document; `undefined` is a failure. Without one it only compiles. */
function jq(filters: Readonly<Record<string, (document: never) => string | undefined>>) {
  const started: { readonly args: readonly string[]; readonly env: Io['env'] }[] = []
  const pipe: Io['pipe'] = async ({ program, args, env }, input) => {
    expect(program).toBe('jq')
    started.push({ args, env })
    const filter = filters[args.at(-1) ?? '']
    if (filter === undefined) {
      const errors = 'jq: error: syntax error, unexpected end at <top-level>, line 1:\n.a[\njq: 1 compile error\n'
      return { exitCode: 3, output: '', errors }
    }
    const output = input === '' ? '' : filter(JSON.parse(input) as never)
    if (output === undefined) return { exitCode: 5, output: '', errors: `jq: error: cannot index ${input}\n` }
    return { exitCode: 0, output, errors: '' }
  }
  return { started, pipe }
}

test('--jq prints what jq makes of the whole document', async () => {
  const { certify } = createRunner()
  const { pipe } = jq({ '.[].slug': (tracks: { slug: string }[]) => tracks.map(({ slug }) => `${slug}\n`).join('') })
  const { stdout } = await certify(['tracks', 'list', '--json'])
  const slugs = (JSON.parse(stdout) as { slug: string }[]).map(({ slug }) => `${slug}\n`).join('')
  expect(await certify(['tracks', 'list', '--jq', '.[].slug'], { pipe })).toEqual({
    code: 0,
    stdout: slugs,
    stderr: '',
  })
})

test('a list that is written row by row reaches jq as one document, with the chosen fields only', async () => {
  const { certify } = createRunner()
  for (const email of ['ada@example.com', 'grace@example.com']) {
    await certify([...CREATE.slice(0, -1), email, '--ledger'])
  }
  const { pipe } = jq({ 'map(keys)': (rows: object[]) => JSON.stringify(rows.map((row) => Object.keys(row))) })
  const argv = ['invites', 'list', '--fields', 'state', '--jq', 'map(keys)']
  expect(await certify(argv, { pipe })).toEqual({ code: 0, stdout: '[["state"],["state"]]', stderr: '' })
})

test('a filter that jq does not accept is refused before anything is sent', async () => {
  const { certify, mock } = createRunner()
  const { code, stdout, stderr } = await certify([...CREATE, '--jq', '.a['], { pipe: jq({}).pipe })
  expect([code, stdout, mock.requestLog.list()]).toEqual([2, '', []])
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'USAGE',
      message: 'jq does not accept the filter of --jq: syntax error, unexpected end at <top-level>, line 1.',
      hint: 'Correct the filter. Nothing was sent.',
      exitCode: 2,
    },
  })
})

test('without the program jq, nothing is sent', async () => {
  const { certify, mock } = createRunner()
  const { code, stdout, stderr } = await certify([...CREATE, '--jq', '.'])
  expect([code, stdout, mock.requestLog.list()]).toEqual([2, '', []])
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'COMMAND_NOT_RUN', hint: 'Install jq, or give --json in place of --jq.' },
  })
})

test('if the filter fails on the response of a create, the response is on stderr and the exit code is 6', async () => {
  const { certify, mock } = createRunner()
  const { pipe } = jq({ '.a.b': () => undefined })
  const { code, stdout, stderr } = await certify([...CREATE, '--no-send-email', '--jq', '.a.b'], { pipe })
  const [invite] = mock.invites
  expect([code, stdout]).toEqual([6, ''])
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: 'OUTPUT_FAILED',
      message: 'it was created, but the filter of --jq failed on the output (jq ended with 5).',
      hint: 'Do not run the command again. Save the printed data: it may be the only copy.',
      partial: { inviteId: invite?.inviteId, challengeUrl: invite?.challengeUrl },
    },
  })
})

test('if the filter fails on the output of a query, the message has nothing of the output', async () => {
  const { certify } = createRunner()
  const { pipe } = jq({ '.a.b': () => undefined })
  const { code, stdout, stderr } = await certify(['tracks', 'list', '--jq', '.a.b'], { pipe })
  expect([code, stdout]).toEqual([2, ''])
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'OUTPUT_FAILED',
      message: 'the filter of --jq failed on the output (jq ended with 5).',
      hint: 'Correct the filter. To see the whole document, give --json in place of --jq.',
      exitCode: 2,
    },
  })
})

const FIELDS = {
  '.inviteId': ({ inviteId }: { inviteId: string }) => `${inviteId}\n`,
  '.challengeUrl': ({ challengeUrl }: { challengeUrl: string }) => `${challengeUrl}\n`,
  '.nothing': () => 'null\n',
}

test('a filter that leaves out the only copy of a link does not lose it', async () => {
  const { certify, mock } = createRunner()
  const { pipe } = jq(FIELDS)
  const left = await certify([...CREATE, '--no-send-email', '--jq', '.inviteId'], { pipe })
  const [invite] = mock.invites
  expect(left).toMatchObject({ code: 6, stdout: '' })
  expect(JSON.parse(left.stderr)).toMatchObject({
    error: {
      message: 'it was created, but the output leaves out the link, and this is the only copy.',
      partial: { challengeUrl: invite?.challengeUrl },
    },
  })
  const printed = await certify([...CREATE, '--no-send-email', '--jq', '.challengeUrl'], { pipe })
  expect(printed).toEqual({ code: 0, stdout: `${mock.invites[1]?.challengeUrl}\n`, stderr: '' })
  const recorded = await certify([...CREATE, '--no-send-email', '--ledger', '--jq', '.inviteId'], { pipe })
  expect(recorded).toEqual({ code: 0, stdout: `${mock.invites[2]?.inviteId}\n`, stderr: '' })
})

test('an invite whose id and link a filter leaves out is reported with its id', async () => {
  const { certify, mock } = createRunner()
  const { pipe } = jq(FIELDS)
  const { code, stdout, stderr } = await certify([...CREATE, '--jq', '.nothing'], { pipe })
  expect([code, stdout]).toEqual([0, 'null\n'])
  expect(stderr).toContain(`--jq left out what was created: ${mock.invites[0]?.inviteId}`)
})

test('a filter that fails on a recorded invite does not say that it was created', async () => {
  const { certify, mock } = createRunner()
  await certify([...CREATE, '--ledger'])
  const { pipe } = jq({ '.a.b': () => undefined })
  const { code, stderr } = await certify([...CREATE, '--ledger', '--if-invited', 'reuse', '--jq', '.a.b'], { pipe })
  expect([code, mock.invites.length]).toEqual([2, 1])
  expect(stderr).not.toContain('it was created')
})

/* The ledger is gone when the response arrives. */
function losingLedger({ mock, home }: ReturnType<typeof createRunner>): Io['fetch'] {
  return async (url, init) => {
    const response = await mock.fetch(url, init)
    rmSync(home.ledger)
    return response
  }
}

test('the warning of the ledger is not lost if the filter fails', async () => {
  const runner = createRunner()
  const { pipe } = jq({ '.a.b': () => undefined })
  const world = { pipe, fetch: losingLedger(runner) }
  const { code, stderr } = await runner.certify([...CREATE, '--ledger', '--jq', '.a.b'], world)
  expect([code, runner.mock.invites.length]).toEqual([6, 1])
  expect(stderr).toContain('warning: it was created.')
  expect(stderr).toContain('"partial"')
})

test('a link that the ledger could not record counts as the only copy', async () => {
  const runner = createRunner()
  const world = { pipe: jq(FIELDS).pipe, fetch: losingLedger(runner) }
  const argv = [...CREATE, '--no-send-email', '--ledger', '--jq', '.inviteId']
  const { code, stdout, stderr } = await runner.certify(argv, world)
  expect([code, stdout]).toEqual([6, ''])
  expect(stderr).toContain(runner.mock.invites[0]?.challengeUrl)
})

test('with a ledger the output need not have the link, unless the ledger could not record it', async () => {
  for (const form of [['--quiet'], ['--fields', 'inviteId']]) {
    const runner = createRunner()
    const argv = [...CREATE, '--no-send-email', '--ledger', ...form]
    const recorded = await runner.certify(argv)
    expect(recorded).toMatchObject({ code: 0, stderr: '' })
    expect(recorded.stdout).not.toContain('challenge')
    const other = argv.with(5, 'grace@example.com')
    const { code, stdout, stderr } = await runner.certify(other, { fetch: losingLedger(runner) })
    expect([code, stdout]).toEqual([6, ''])
    expect(stderr).toContain(runner.mock.invites[1]?.challengeUrl)
  }
})

test('a link that neither stdout nor the ledger has is on stderr', async () => {
  const runner = createRunner()
  const world = { lost: 'null device', fetch: losingLedger(runner) } as const
  const { code, stderr } = await runner.certify([...CREATE, '--no-send-email', '--ledger'], world)
  expect(code).toBe(6)
  expect(stderr).toContain(runner.mock.invites[0]?.challengeUrl)
  const other = createRunner()
  const fields = ['--ledger', '--fields', 'status']
  const left = await other.certify([...CREATE, ...fields], { fetch: losingLedger(other) })
  expect(left.stderr).toContain(`--fields left out what was created: ${other.mock.invites[0]?.inviteId}`)
})

test('api refuses --jq with a mutation before anything is sent', async () => {
  const { certify, mock } = createRunner()
  const { pipe } = jq({ '.': () => '' })
  const { code, stdout } = await certify(['api', 'mutation { nothing }', '--jq', '.'], { pipe })
  expect([code, stdout, mock.requestLog.list()]).toEqual([2, '', []])
})

test('an interruption while jq runs ends the command: a query with 130, a create with its response', async () => {
  const { certify, mock } = createRunner()
  const run = (argv: readonly string[]) => {
    const interruption = new AbortController()
    const pipe: Io['pipe'] = async (_jq, input) => {
      if (input === '') return { exitCode: 0, output: '', errors: '' }
      interruption.abort('SIGINT')
      return { exitCode: 128, output: '', errors: '' }
    }
    return certify([...argv, '--jq', '.'], { pipe, interruption: interruption.signal })
  }
  expect(await run(['tracks', 'list'])).toMatchObject({ code: 130, stdout: '' })
  const { code, stderr } = await run(CREATE)
  expect([code, stderr]).toEqual([6, expect.stringContaining(mock.invites[0]?.challengeUrl ?? '')])
})

test('a jq that does not work is not blamed on the filter', async () => {
  const { certify, mock } = createRunner()
  const pipe: Io['pipe'] = async () => ({ exitCode: 127, output: '', errors: 'cannot open shared object file' })
  const { code, stderr } = await certify([...CREATE, '--jq', '.'], { pipe })
  expect([code, mock.requestLog.list()]).toEqual([2, []])
  expect(stderr).toContain('--jq needs the program jq, which ended with 127 at once.')
})

test('the exit code stays that of certify, and an error is one JSON object on stderr', async () => {
  const { certify, mock } = createRunner()
  mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' })
  const { code, stdout, stderr } = await certify([...CREATE, '--jq', '.'], { pipe: jq({ '.': () => '' }).pipe })
  expect([code, stdout]).toEqual([6, ''])
  expect(JSON.parse(stderr)).toMatchObject({ error: { outcome: 'unknown' } })
})

test('jq gets no key, and takes a filter that begins with a dash for a filter', async () => {
  const { certify } = createRunner()
  const { pipe, started } = jq({ ' -1': () => '-1\n' })
  const world = { pipe, env: { HOME: '/home/ada' } }
  expect(await certify(['tracks', 'list', '--jq=-1'], world)).toMatchObject({ code: 0, stdout: '-1\n' })
  expect(started).toHaveLength(2)
  for (const { env } of started) {
    expect(env).toMatchObject({ HOME: '/home/ada' })
    expect(Object.keys(env).filter((name) => name.startsWith('CERTIFY_'))).toEqual([])
  }
})

test('on a terminal, texts that jq prints cannot control it', async () => {
  const { certify } = createRunner()
  const { pipe } = jq({ '.': () => 'a\u001B[2Jb\tc\n  d\n' })
  const argv = ['tracks', 'list', '--jq', '.']
  expect(await certify(argv, { pipe, terminal: 80 })).toMatchObject({ stdout: 'ab\tc\n  d\n' })
  expect(await certify(argv, { pipe })).toMatchObject({ stdout: 'a\u001B[2Jb\tc\n  d\n' })
})

test('--jq and --quiet exclude each other', async () => {
  const { certify } = createRunner()
  const { code, stderr } = await certify(['tracks', 'list', '--quiet', '--jq', '.'], {
    pipe: jq({ '.': () => '' }).pipe,
  })
  expect([code, stderr]).toEqual([2, expect.stringContaining('--jq and --quiet exclude each other.')])
})

test('a dry run prints the whole request, after the filter was checked', async () => {
  const { certify } = createRunner()
  const { code, stdout } = await certify([...CREATE, '--dry-run', '--jq', '.'], {
    pipe: jq({ '.': () => 'no\n' }).pipe,
  })
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { method: 'POST' }])
  expect(await certify([...CREATE, '--dry-run', '--jq', '.a['], { pipe: jq({}).pipe })).toMatchObject({
    code: 2,
    stdout: '',
  })
})
