// Creates, with a ledger in a file and a service that responds at once. Sends how long one takes, and its CPU time.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [build = '', folder = '', concurrency = '1'] = process.argv.slice(2)
const CREATES = 600
const load = (/** @type {string} */ path) => import(pathToFileURL(join(build, 'dist', path)).href)
const { CertifyClient } = await load('index.js')
const { openLedger } = await load('ledger/index.js')

const own = mkdtempSync(join(folder, 'two-builds-'))
const ledger = await openLedger(join(own, 'ledger'))
let invites = 0
const client = new CertifyClient({
  baseUrl: 'https://certify.test',
  apiKey: 'ck_bench_0123456789abcdef',
  ledger,
  fetch: async () => {
    invites += 1
    const expiresAt = '2999-01-01T00:00:00.000Z'
    const challengeUrl = `https://certify.test/challenge/${invites}`
    const invite = { inviteId: `inv_${invites}`, status: 'PENDING', challengeUrl, expiresAt, emailSent: false }
    return Response.json({ data: { developerCreateCertificationInvite: invite } })
  },
})
let next = 0
const worker = async (/** @type {number} */ end) => {
  while (next < end) {
    next += 1
    const candidate = { name: 'Ada', email: `c${next}@example.com` }
    await client.invites.create({ quizId: 'quiz', candidate }, { reference: `r${next}` })
  }
}
const all = (/** @type {number} */ end) => Promise.all(Array.from({ length: Number(concurrency) }, () => worker(end)))
await all(100)
const [beganAt, cpu] = [performance.now(), process.cpuUsage()]
await all(100 + CREATES)
const ms = (performance.now() - beganAt) / CREATES
const { user, system } = process.cpuUsage(cpu)
await ledger.close()
rmSync(own, { recursive: true })
process.send?.({ ms, cpuMs: (user + system) / 1000 / CREATES })
