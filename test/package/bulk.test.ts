import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { fileOf } from '../ledger/rows.mjs'

const consumer = inject('consumer')
const bin = join(consumer, 'node_modules/certify-sdk/dist/bin/certify.cjs')

/** A mock, and a folder with a file of this many rows. */
async function setting(rows: number) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-bulk-'))
  const mock = createMockServer()
  const { url } = await mock.listen()
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  mkdirSync(join(folder, 'tmp'))
  writeFileSync(join(folder, 'rows.csv'), fileOf(rows))
  const env = {
    PATH: process.env['PATH'],
    CERTIFY_BASE_URL: url,
    CERTIFY_API_KEY: mock.apiKey,
    CERTIFY_CONFIG_DIR: join(folder, 'config'),
    CERTIFY_LEDGER: join(folder, 'invites.ledger'),
    TMPDIR: join(folder, 'tmp'),
  }
  const start = (...argv: readonly string[]) => spawn(process.execPath, [bin, 'bulk', ...argv], { cwd: folder, env })
  /* Every fifth row is for a package, which creates two invites. */
  const invited = () => mock.invites.map(({ candidate }) => candidate.email)
  /* File modes do not restrict root, so root drops that capability. */
  const startUnprivileged = (...argv: readonly string[]) => {
    const command = [process.execPath, bin, 'bulk', ...argv]
    const [program = '', ...words] = process.getuid?.() === 0 ? [...LIKE_ANYBODY, ...command] : command
    return spawn(program, words, { cwd: folder, env })
  }
  return {
    mock,
    start,
    startUnprivileged,
    invited,
    at: (name: string) => join(folder, name),
  }
}

const LIKE_ANYBODY = ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override']

/* Sends the signal again at every call. */
function killed(child: ChildProcess): number | string | null {
  child.kill('SIGINT')
  return child.exitCode ?? child.signalCode
}

/** Waits for the end, and returns the output. */
async function ended(child: ChildProcess) {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return { code, signal, stdout, stderr }
}

const HANGING = { operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'hang', times: 8 } as const
const QUICK = { fault: { delayMs: 30 }, times: Number.POSITIVE_INFINITY } as const

test('one signal drains requests in flight and writes the report, and the same command does the rest', async () => {
  const { mock, start, at, invited } = await setting(200)
  mock.faults.add(QUICK)
  const child = start('rows.csv', '--yes', '--report', 'report.csv')
  const ending = ended(child)
  await expect.poll(() => mock.invites.length).toBeGreaterThan(10)
  child.kill('SIGTERM')
  const { code, stderr } = await ending
  expect([code, stderr]).toEqual([143, expect.stringContaining('Run the same command again to resume')])
  expect(stderr).toContain('A second signal ends it at once')
  const report = readFileSync(at('report.csv'), 'utf8')
  expect(report.match(/^\d+,created,/gm)).toHaveLength(new Set(invited()).size)
  expect(report).not.toMatch(/^\d+,unknown,/m)
  expect(new Set(invited()).size).toBeLessThan(200)
  const again = await ended(start('rows.csv', '--yes'))
  expect([again.code, new Set(invited()).size]).toEqual([0, 200])
  expect(mock.invites).toHaveLength(160 + 40 * 2)
})

test('SIGHUP after an interruption does not end requests in flight', async () => {
  const { mock, start, at, invited } = await setting(200)
  mock.faults.add({ fault: { delayMs: 300 }, times: Number.POSITIVE_INFINITY })
  const child = start('rows.csv', '--yes', '--report', 'report.csv')
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ending = ended(child)
  await expect.poll(() => mock.invites.length).toBeGreaterThan(0)
  child.kill('SIGINT')
  await expect.poll(() => stderr).toContain('interrupted')
  child.kill('SIGHUP')
  expect((await ending).code).toBe(130)
  const report = readFileSync(at('report.csv'), 'utf8')
  expect(report).not.toMatch(/^\d+,unknown,/m)
  expect(report.match(/^\d+,created,/gm)).toHaveLength(new Set(invited()).size)
})

test('two signals end it at once, and requests in flight are on record', async () => {
  const { mock, start, at, invited } = await setting(60)
  mock.faults.add(HANGING)
  const child = start('rows.csv', '--yes', '--concurrency', '4', '--report', 'report.csv')
  const ending = ended(child)
  await expect.poll(() => new Set(invited()).size).toBeGreaterThanOrEqual(4)
  await expect.poll(() => killed(child)).toBe('SIGINT')
  expect((await ending).signal).toBe('SIGINT')
  const ledger = await openLedger(at('invites.ledger'))
  onTestFinished(() => ledger.close())
  const { sending, created } = (await ledger.check()).records
  expect(sending).toBeGreaterThan(0)
  /* Four in flight, and one recorded in advance. */
  expect(sending).toBeLessThanOrEqual(5)
  expect(sending + created).toBeGreaterThanOrEqual(new Set(invited()).size)
})

test('rows from stdin leave no file in the temporary folder, even if the process is killed', async () => {
  const { mock, start, at } = await setting(20)
  mock.faults.add(HANGING)
  const child = start('-', '--yes', '--failed-out', 'fix.csv')
  child.stdin.end(readFileSync(at('rows.csv')))
  await expect.poll(() => mock.invites.length).toBeGreaterThan(0)
  expect(readdirSync(at('tmp'))).toEqual([])
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(readdirSync(at('tmp'))).toEqual([])
})

test('a read-only ledger or folder is refused with one clear error', async () => {
  const { mock, startUnprivileged, at } = await setting(3)
  await (await openLedger(at('invites.ledger'))).close()
  const refusal = { code: 2, stdout: '', stderr: expect.stringMatching(/^{"error":{.*"code":"LEDGER_UNUSABLE".*}\n$/) }
  for (const mode of [0o444, 0o400]) {
    chmodSync(at('invites.ledger'), mode)
    const refused = await ended(startUnprivileged('rows.csv', '--yes', '--json'))
    expect(refused).toMatchObject(refusal)
    expect(refused.stderr).toContain('it is read-only')
    expect(statSync(at('invites.ledger')).mode & 0o777).toBe(mode)
  }
  chmodSync(at('invites.ledger'), 0o600)
  chmodSync(at('.'), 0o555)
  expect(await ended(startUnprivileged('rows.csv', '--yes', '--json'))).toMatchObject(refusal)
  expect(mock.invites).toEqual([])
  /* Nothing is left behind: the ledger is used as soon as it can be written. */
  chmodSync(at('.'), 0o755)
  expect(await ended(startUnprivileged('rows.csv', '--yes', '--json'))).toMatchObject({ code: 0 })
  expect(mock.invites).not.toEqual([])
})
