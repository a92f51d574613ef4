// Kills a process at each write, truncation, rename and sync of its ledger in turn, and prints what the ledger has afterwards: as the
// process left it, and with the journal deleted by hand. It needs strace:
//   npm run build && node test/ledger/kill-at-writes.mjs
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ledgers, partsOf } from './built.mjs'

const CALLS = 'pwrite64,write,ftruncate,fsync,fdatasync,unlink,rename'
const names = Array.from({ length: 8 }, (_each, index) => `r${index}`)

if (process.argv[2] === undefined) await killAtEachWrite()
else await write(process.argv[2])

/* The victim: prints each promise of the ledger as soon as it is made. */
async function write(/** @type {string} */ path) {
  const ledger = await ledgers.openLedger(path)
  const parts = partsOf(ledger)
  const each = async (/** @type {string} */ name) => {
    const claim = await parts.claim(claimOf(name))
    if (claim.kind !== 'claimed') throw new Error(`a new candidate is ${claim.kind}`)
    console.log(`${name} sending`)
    await parts.settle(claim, { state: 'created', invites: [{ inviteId: `inv_${name}`, expiresAt: '2999-01-01' }] })
    console.log(`${name} created`)
  }
  await Promise.all(names.map(each))
  await ledger.close()
  console.log('end')
}

async function killAtEachWrite() {
  const folder = mkdtempSync(join(tmpdir(), 'certify-writes-'))
  const fresh = join(folder, 'fresh')
  mkdirSync(fresh)
  const ledger = await ledgers.openLedger(join(fresh, 'ledger'))
  for (let index = 0; index < 50; index += 1) await partsOf(ledger).claim(claimOf(`earlier${index}`))
  await ledger.close()
  const figures = { kills: 0, lost: 0, damaged: 0, refusedWithoutJournal: 0, lostWithoutJournal: 0 }
  for (let at = 1; ; at += 1) {
    const [killed, without] = [join(folder, 'killed'), join(folder, 'without')]
    for (const each of [killed, without]) rmSync(each, { recursive: true, force: true })
    cpSync(fresh, killed, { recursive: true })
    const promised = runUntil(at, join(killed, 'ledger'))
    if (promised.includes('end')) break
    cpSync(killed, without, { recursive: true })
    rmSync(join(without, 'ledger-journal'), { force: true })
    figures.kills += 1
    const [left, alone] = [await missing(killed, promised), await missing(without, promised)]
    if (left === undefined) figures.damaged += 1
    else figures.lost += left
    if (alone === undefined) figures.refusedWithoutJournal += 1
    else figures.lostWithoutJournal += alone
  }
  rmSync(folder, { recursive: true })
  console.log(JSON.stringify(figures))
  const { kills, lost, damaged, lostWithoutJournal } = figures
  const holds = kills > 0 && lost + damaged + lostWithoutJournal === 0
  console.log(holds ? 'holds: 0 lost, 0 damaged' : 'DOES NOT HOLD')
  process.exitCode = holds ? 0 : 1
}

/* The output of the victim, killed at the start of the call with this number. */
function runUntil(/** @type {number} */ at, /** @type {string} */ path) {
  const paths = ['', '-journal', '-highest-id', '-lock/held'].flatMap((end) => ['-P', path + end])
  const argv = ['-f', '-qq', '-o', '/dev/null', ...paths, '-e', `inject=${CALLS}:signal=KILL:when=${at}`]
  const { stdout, error } = spawnSync('strace', [...argv, process.execPath, import.meta.filename, path])
  if (error !== undefined) throw error
  return String(stdout).split('\n')
}

/* How many promises the ledger has lost; `undefined` if it is refused. */
async function missing(/** @type {string} */ folder, /** @type {readonly string[]} */ promised) {
  try {
    const ledger = await ledgers.openLedger(join(folder, 'ledger'))
    try {
      const { problems, records } = await ledger.check()
      if (problems.length > 0) return undefined
      let lost = Object.values(records).reduce((sum, count) => sum + count, 0) < 50 ? 1 : 0
      for (const name of names) {
        const state = (await ledger.find(name))?.state
        if (promised.includes(`${name} created`) ? state !== 'created' : promised.includes(`${name} sending`) && !state)
          lost += 1
      }
      return lost
    } finally {
      await ledger.close()
    }
  } catch {
    return undefined
  }
}

/** @param {string} name @returns {import('../../src/ledger/rules/model.ts').ClaimRequest} */
function claimOf(name) {
  const email = `${name}@example.com`
  const input = { quizId: 'quiz', candidate: { email } }
  const scope = { baseUrl: 'https://certify.test', account: 'acme', world: '' }
  return { scope, target: { email, quizIds: ['quiz'] }, reference: name, input, leaseMs: 600_000 }
}
