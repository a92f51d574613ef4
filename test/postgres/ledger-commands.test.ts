import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openLedger } from '../../src/ledger/index.ts'
import { createRunner } from '../bin/run.ts'
import { sql } from './server.mjs'
import { created, freshDatabase, freshLedger, request } from './setting.ts'

/** The URL of a new database without its password, which is in the environment. */
async function databaseOf() {
  const url = await freshDatabase()
  const { password } = new URL(url)
  const shown = new URL(url)
  shown.password = ''
  /* The driver reads it itself. */
  vi.stubEnv('PGPASSWORD', password)
  onTestFinished(() => void vi.unstubAllEnvs())
  return { url, flag: shown.href, password }
}

/** A ledger in a file with an invite and an unknown send. */
async function fileIn(folder: string): Promise<string> {
  const path = join(folder, 'from.ledger')
  const file = await openLedger({ path })
  await file.claim(request('a', 'ada@example.com'))
  await file.settle('a', created('inv_1'))
  await file.claim(request('b', 'bob@example.com'))
  await file.settle('b', { state: 'unknown' })
  await file.close()
  return path
}

test('ledger migrate prints the SQL with --dry-run, creates the tables, and then has nothing to do', async () => {
  const { certify } = createRunner()
  const { url, flag, password } = await databaseOf()
  const migrate = async (...flags: readonly string[]) => {
    const { code, stdout, stderr } = await certify(['ledger', 'migrate', '--ledger', flag, ...flags])
    expect([code, stdout.includes(password)]).toEqual([0, false])
    return { stdout, stderr }
  }
  const { stdout: script } = await migrate('--dry-run')
  expect(script).toContain('CREATE TABLE "certify".certify_send_records')
  expect(await sql(url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'certify'")).toBe('0')
  /* It is what `migrate` runs. */
  const other = await databaseOf()
  await sql(other.url, script)
  await (await freshLedger({ url: other.url, migrate: false })).claim(request('a'))

  expect((await migrate()).stdout).toMatch(/\/test_\w+\?schema=certify\t1\n$/)
  expect(JSON.parse((await migrate('--json')).stdout)).toMatchObject({ statements: [] })
  const again = await certify(['ledger', 'migrate', '--ledger', flag], { terminal: 80 })
  expect(again.stdout + again.stderr).toContain('nothing to do')
  await freshLedger({ url, migrate: false })
})

test('ledger copy copies a file whole, prints the counts, and may be repeated', async () => {
  const { certify, home } = createRunner()
  const { url, flag } = await databaseOf()
  const from = await fileIn(home.folder)
  const copy = ['ledger', 'copy', '--from', from, '--to', flag]
  expect((await certify(copy)).code).toBe(2)
  await certify(['ledger', 'migrate', '--ledger', flag])
  const plan = await certify([...copy, '--dry-run', '--json'])
  expect(JSON.parse(plan.stdout)).toMatchObject({ read: 2, copied: 2, present: 0, conflicts: [] })
  const first = await certify([...copy, '--yes', '--json'])
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(JSON.parse(first.stdout)).toEqual({
    read: 2,
    copied: 2,
    present: 0,
    conflicts: [],
    entries: { sending: 0, created: 1, refused: 0, 'not-executed': 0, unknown: 1 },
  })
  const second = await certify([...copy.slice(0, 4), '--yes'], { env: { CERTIFY_LEDGER: url } })
  expect([second.code, second.stdout]).toEqual([
    0,
    'read\t2\ncopied\t0\npresent\t2\nsending\t0\ncreated\t1\nrefused\t0\nnot-executed\t0\nunknown\t1\n',
  ])
  const ledger = await freshLedger({ url })
  await ledger.resolve('b', { notCreated: true })
  const third = await certify([...copy, '--yes'])
  expect([third.code, third.stdout]).toEqual([5, expect.stringContaining('conflict\tb\n')])
  expect(third.stderr).toContain('1 send is in the database with another content')
})

test.each([
  [['ledger', 'copy', '--to', 'postgres://127.0.0.1:1/x', '--yes'], 2, '--from is missing'],
  [['ledger', 'copy', '--from', '/nowhere.ledger', '--to', 'postgres://127.0.0.1:1/x', '--yes'], 5, 'no ledger at'],
  [['ledger', 'copy', '--from', '{file}', '--to', 'other.ledger', '--yes'], 2, 'needs a ledger in Postgres'],
  [['ledger', 'copy', '--from', '{file}', '--to', 'postgres://u:canary@h/x', '--yes'], 2, 'URL of --to has a password'],
  [['ledger', 'migrate', '--ledger', 'a.ledger'], 2, 'needs a ledger in Postgres'],
  [['ledger', 'migrate'], 2, 'needs a ledger in Postgres'],
  [['ledger', 'migrate', '--ledger', 'postgres://u:canary@h/x'], 2, 'URL of --ledger has a password'],
])('%j is refused', async (argv, expected, words) => {
  const { certify, home } = createRunner()
  const from = await fileIn(home.folder)
  const { code, stdout, stderr } = await certify(argv.map((word) => word.replace('{file}', from)))
  expect([code, stdout]).toEqual([expected, ''])
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('canary')
})
