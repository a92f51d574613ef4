import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadDriver } from '../../src/ledger/sqlite-driver.ts'
import { shellQuoted } from '../../bin/config/ledger-place.ts'
import { createRunner, type Ended, invite, packageInvite, quizId } from './run.ts'

const cutAfter = { operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' } as const

interface Failure {
  readonly error: { readonly code: string; readonly reference: string; readonly prior: readonly object[] }
}

const failure = (stderr: string) => (JSON.parse(stderr) as Failure).error

test('the path of the ledger comes from --ledger, then from CERTIFY_LEDGER', async () => {
  const { certify, home } = createRunner()
  const [flag, variable] = [join(home.folder, 'flag'), join(home.folder, 'variable')]
  const env = { CERTIFY_LEDGER: variable }
  expect((await certify([...invite, '--ledger', flag], { env })).code).toBe(0)
  expect([existsSync(flag), existsSync(variable)]).toEqual([true, false])
  expect((await certify([...invite], { env })).code).toBe(0)
  expect([existsSync(variable), existsSync(home.ledger)]).toEqual([true, false])
})

test('a second create is refused with the id, age and expiry of the open invite, but without its link', async () => {
  const { certify, mock } = createRunner()
  await certify([...invite])
  await mock.clock.advance('3h')
  const [{ inviteId, challengeUrl, expiresAt } = { inviteId: '', challengeUrl: '', expiresAt: '' }] = mock.invites
  const told = await certify([...invite.slice(0, -1), 'ADA@example.com'])
  expect([told.code, told.stdout]).toEqual([5, ''])
  for (const words of [inviteId, expiresAt, 'sent 3 h ago', '--if-invited reuse']) expect(told.stderr).toContain(words)
  const { code, stderr } = await certify([...invite, '--json'])
  expect(code).toBe(5)
  const invites = [{ inviteId, quizId, expiresAt }]
  expect(failure(stderr)).toMatchObject({ code: 'ALREADY_INVITED', prior: [{ ageMs: 10_800_000, invites }] })
  for (const secret of [challengeUrl, 'ada@example.com', mock.apiKey]) {
    expect((told.stderr + stderr).toLowerCase()).not.toContain(secret.toLowerCase())
  }
  expect(mock.invites).toHaveLength(1)
})

test('--if-invited reuse prints the recorded invite with its link, whatever its name and e-mail option', async () => {
  const { certify, mock } = createRunner()
  const first = await certify([...invite, '--json'])
  const reuse = [...invite, '--if-invited', 'reuse']
  expect(await certify([...reuse, '--json'])).toEqual(first)
  const drawn = await certify([...reuse, '--name', 'Ada', '--no-send-email'], { terminal: 100 })
  expect(drawn.stdout).toContain('Recorded invite; nothing was sent')
  expect(drawn.stdout).not.toContain('Invite created')
  expect(mock.invites).toHaveLength(1)
  expect((await certify([...invite, '--if-invited', 'create'])).code).toBe(0)
  expect(mock.invites).toHaveLength(2)
})

test.each([['its id', 'inv_found'], ['its reference']])(
  'an invite resolved by a person cannot be reused, and the hint shows it by %s',
  async (_by, ...ids) => {
    const { certify, mock, home } = createRunner()
    mock.faults.add(cutAfter)
    const ledger = ['--ledger', home.ledger]
    expect((await certify([...invite, ...ledger])).code).toBe(6)
    const reference = (await certify(['invites', 'list', '--quiet', ...ledger])).stdout.trim()
    await certify(['invites', 'resolve', reference, '--created', ...ids, '--yes', ...ledger])
    const reused = await certify([...invite, ...ledger, '--if-invited', 'reuse'])
    const hint = reused.stderr.replaceAll(/\s+/g, ' ')
    expect([reused.code, reused.stdout]).toEqual([5, ''])
    const view = `certify invites view ${ids[0] ?? reference} --ledger ${shellQuoted(home.ledger)}`
    expect(hint).toContain(`Its link was not recorded: \`${view}\` shows`)
    expect(hint).not.toContain('--if-invited reuse')
  },
)

test('a package after a single invite is refused, and so is a single invite after a package', async () => {
  const { certify, mock } = createRunner()
  await certify([...invite])
  expect(await certify([...packageInvite])).toMatchObject({ code: 5, stdout: '' })
  const grace = ['--email', 'grace@example.com']
  expect((await certify([...packageInvite.slice(0, -2), ...grace])).code).toBe(0)
  const { code, stderr } = await certify([...invite.slice(0, -2), ...grace, '--json'])
  expect([code, failure(stderr).code]).toEqual([5, 'ALREADY_INVITED'])
  const reused = await certify([...packageInvite.slice(0, -2), ...grace, '--if-invited', 'reuse'], {
    terminal: 80,
    answers: ['y'],
  })
  expect(reused.stdout).toContain('3 recorded invites; nothing was sent')
  expect(mock.invites).toHaveLength(4)
})

test('a lost response names the command that resolves it, and the candidate is not invited again before that', async () => {
  const { certify, mock, home } = createRunner()
  mock.faults.add(cutAfter)
  const path = join(home.folder, "it's mine.sqlite")
  const lost = await certify([...invite, '--ledger', path, '--json'])
  expect(lost.code).toBe(6)
  const { reference } = failure(lost.stderr)
  const settles = `certify invites resolve ${reference} --ledger '${path.replace("'", String.raw`'\''`)}' --created <invite-id>`
  expect(lost.stderr.replaceAll(String.raw`\\`, '\\')).toContain(settles)
  const again = await certify([...invite, '--ledger', path])
  expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining(settles) })
  const told = await certify([...invite, '--ledger', path, '--json'])
  expect(failure(told.stderr)).toMatchObject({
    code: 'PRIOR_OUTCOME_UNKNOWN',
    prior: [{ reference, state: 'unknown' }],
  })
  expect(mock.invites).toHaveLength(1)
  expect((await certify([...invite, '--ledger', path, '--if-unknown', 'create'])).code).toBe(0)
})

test.each([
  [['--if-invited', 'resue'], 'Allowed choices are refuse, reuse, create'],
  [['--if-unknown', 'reuse'], 'Allowed choices are refuse, create'],
  [['--account', ' '], 'It must not be blank'],
  [['--ledger', 'one', '--ledger', 'two'], 'may be given only once'],
])('%j is refused, and nothing is sent', async (flags, words) => {
  const { certify, mock } = createRunner()
  const { code, stderr } = await certify([...invite, ...flags])
  expect([code, stderr, mock.invites.length]).toEqual([2, expect.stringContaining(words), 0])
})

test.each(['invites', 'packages'])('an unusable ledger is one clear error: %s are not sent', async (group) => {
  const { certify, mock, home } = createRunner()
  const foreign = join(home.folder, 'notes.txt')
  writeFileSync(foreign, 'these are notes, and they are longer than the header of a database '.repeat(4))
  const folder = join(home.folder, 'taken')
  mkdirSync(folder)
  const argv = group === 'invites' ? invite : packageInvite
  for (const [path, words] of [
    [foreign, 'it is not a ledger'],
    [folder, 'it is a folder'],
    [join(foreign, 'below'), 'a part of the path is not a folder'],
    ['/proc/certify/ledger', 'its folder does not exist (ENOENT)'],
  ] as const) {
    const { code, stdout, stderr } = await certify([...argv, '--ledger', path, '--json'])
    expect([code, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'LEDGER_UNUSABLE', message: expect.stringContaining(words) },
    })
  }
  expect(readFileSync(foreign, 'utf8')).toMatch(/^these are notes/)
  expect(mock.invites).toEqual([])
})

test('a created invite is printed with a warning if the ledger cannot record it', async () => {
  const { certify, mock, home } = createRunner()
  await certify([...invite, '--email=first@example.com'].toSpliced(4, 2))
  /* For good: otherwise the command would try until its lease ends. */
  const fetch = async (...call: Parameters<typeof mock.fetch>) => {
    const answer = await mock.fetch(...call)
    rmSync(home.ledger)
    return answer
  }
  const { code, stdout, stderr } = await certify([...invite, '--json'], { fetch })
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ inviteId: mock.invites[1]?.inviteId })])
  expect(stderr).toMatch(
    /^warning: it was created\. The ledger could not record how it ended[\s\S]*certify invites resolve [0-9a-f-]{36} --created/,
  )
  expect(stderr).not.toContain('challenge')
})

test('a created invite is printed with a warning if its lease had ended', async () => {
  const { certify, mock, home } = createRunner()
  await certify([...invite, '--email=first@example.com'].toSpliced(4, 2))
  const fetch = async (...call: Parameters<typeof mock.fetch>) => {
    const answer = await mock.fetch(...call)
    const other = loadDriver().open(home.ledger)
    other.exec("UPDATE certify_sends SET record = json_set(record, '$.leaseUntil', 0) WHERE state = 'sending'")
    other.close()
    return answer
  }
  const { code, stdout, stderr } = await certify([...invite, '--json'], { fetch })
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ inviteId: mock.invites[1]?.inviteId })])
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /^warning: it was created\. The ledger recorded it after its lease had ended.* check whether it was resolved/,
  )
})

test('an interruption ends the wait for another process, and this one sends nothing', async () => {
  const { certify, mock } = createRunner()
  mock.faults.add({ ...cutAfter, fault: 'hang' })
  const [first, second] = [new AbortController(), new AbortController()]
  const fetch = async (...call: Parameters<typeof mock.fetch>) => {
    const answer = mock.fetch(...call)
    void certify([...invite], { interruption: second.signal }).then((ended) => {
      waiting.push(ended)
      return first.abort('SIGINT')
    })
    setImmediate(() => second.abort('SIGTERM'))
    return answer
  }
  const waiting: unknown[] = []
  const ended = await certify([...invite], { fetch, interruption: first.signal })
  expect(waiting).toMatchObject([{ code: 143, stderr: expect.stringContaining('Nothing was sent') }])
  expect(ended).toMatchObject({ code: 6, stderr: expect.stringContaining('certify invites resolve') })
  expect(mock.invites).toHaveLength(1)
})

test('a create waits for another process, says so in a terminal, and ends with exit code 5 and a hint', async () => {
  const { certify, mock } = createRunner()
  const meanwhile = [...invite, '--deadline', '1s']
  const terminal = { terminal: 200 }
  const ended: Ended[] = []
  const fetch = async (...call: Parameters<typeof mock.fetch>) => {
    ended.push(await certify(meanwhile), await certify([...meanwhile, '--json']), await certify(meanwhile, terminal))
    return mock.fetch(...call)
  }
  expect(await certify([...invite], { fetch })).toMatchObject({ code: 0 })
  expect(ended.map(({ code }) => code)).toEqual([5, 5, 5])
  expect(ended[0]?.stderr.replaceAll(/\s+/g, ' ')).toBe(
    'error: another call is inviting this candidate. Nothing was sent by this call. ' +
      'hint: Call again to get the result of that call. ',
  )
  expect(failure(ended[1]?.stderr ?? '')).toMatchObject({
    code: 'IN_PROGRESS',
    outcome: 'not-executed',
    prior: [{ state: 'sending' }],
  })
  expect(ended[2]?.stderr).toContain('Another call is inviting this candidate: waiting for its result.')
  expect(mock.invites).toHaveLength(1)
})

test.each(['', ' '])('CERTIFY_LEDGER set to %j is refused, because a CI secret may be missing', async (value) => {
  const { certify, home, mock } = createRunner()
  const file = join(home.folder, 'rows.csv')
  writeFileSync(file, `email,quiz_id\nada@example.com,${quizId}\n`)
  for (const argv of [invite, [...invite], ['bulk', file, '--yes'], ['invites', 'list']]) {
    const { code, stderr } = await certify(argv, { env: { CERTIFY_LEDGER: value } })
    expect([code, stderr]).toEqual([2, expect.stringContaining('CERTIFY_LEDGER is set, but empty.')])
  }
  expect([mock.invites, existsSync(home.ledger)]).toEqual([[], false])
  const given = await certify([...invite, '--ledger', home.ledger], { env: { CERTIFY_LEDGER: value } })
  expect(given.code).toBe(0)
})
