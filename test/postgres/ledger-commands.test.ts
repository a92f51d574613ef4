import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openLedger } from '../src/ledger/whole.ts'
import { createRunner } from '../bin/run.ts'
import { created, freshDatabase, freshLedger, request } from './setting.ts'
import { settle } from '../src/ledger/contract/samples.ts'

/** A ledger in a file with an invite and an unknown create. */
async function fileIn(folder: string): Promise<string> {
  const path = join(folder, 'from.ledger')
  const file = await openLedger(path)
  await file.claim(request('a', 'ada@example.com'))
  await settle(file, 'a', created('inv_1'))
  await file.claim(request('b', 'bob@example.com'))
  await settle(file, 'b', { state: 'unknown' })
  await file.close()
  return path
}

test('ledger copy asks for confirmation, copies a complete file, prints the counts, and can be repeated', async () => {
  const { certify, home } = createRunner()
  const url = await freshDatabase()
  const shown = new URL(url)
  /* The driver reads it from the environment. */
  vi.stubEnv('PGPASSWORD', shown.password)
  onTestFinished(() => void vi.unstubAllEnvs())
  shown.password = ''
  const from = ['ledger', 'copy', '--from', await fileIn(home.folder)]
  const copy = [...from, '--to', shown.href]
  expect((await certify(copy)).code).toBe(2)
  const first = await certify([...copy, '--yes', '--json'])
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(JSON.parse(first.stdout)).toEqual({
    read: 2,
    copied: 2,
    present: 0,
    conflicts: [],
    records: { sending: 0, created: 1, refused: 0, 'not-executed': 0, unknown: 1 },
  })
  const second = await certify([...from, '--yes'], { env: { CERTIFY_LEDGER: url } })
  expect([second.code, second.stdout]).toEqual([
    0,
    'read\t2\ncopied\t0\npresent\t2\nsending\t0\ncreated\t1\nrefused\t0\nnot-executed\t0\nunknown\t1\n',
  ])
  await (await freshLedger({ url })).resolve('b', { notCreated: true })
  const third = await certify([...copy, '--yes'])
  expect([third.code, third.stdout]).toEqual([5, expect.stringContaining('conflict\tb\n')])
  expect(third.stderr).toContain('1 record is in the database with different content')
})

test.each([
  [['--to', 'postgres://127.0.0.1:1/x', '--yes'], 2, "'--from <path>' not specified"],
  [['--from', '/nowhere.ledger', '--to', 'postgres://127.0.0.1:1/x', '--yes'], 5, 'no ledger at'],
  [['--from', '{file}', '--to', 'other.ledger', '--yes'], 2, 'the target must be a ledger in Postgres'],
  [['--from', '{file}', '--to', 'postgres://u:canary@h/x', '--yes'], 2, 'URL of --to has a password'],
])('ledger copy %j is refused', async (flags, expected, words) => {
  const { certify, home } = createRunner()
  const from = await fileIn(home.folder)
  const { code, stdout, stderr } = await certify([
    'ledger',
    'copy',
    ...flags.map((each) => each.replace('{file}', from)),
  ])
  expect([code, stdout]).toEqual([expected, ''])
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('canary')
})
