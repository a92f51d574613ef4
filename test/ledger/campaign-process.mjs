// One process that runs a campaign on the built package, and says what becomes of each row, a line for each.
import { writeSync } from 'node:fs'
import { campaigns, ledgers, sdk } from './built.mjs'
import { rowsOf } from './rows.mjs'

/** @type {{ url: string, apiKey: string, path: string, rows: number, concurrency: number, timeoutMs: number }} */
const { url, apiKey, path, rows, concurrency, timeoutMs } = JSON.parse(process.argv[2] ?? '{}')

/* Written at once: what was said is said, whenever this process dies. */
const say = (/** @type {object} */ line) => writeSync(1, `${JSON.stringify(line)}\n`)

const client = new sdk.CertifyClient({ baseUrl: url, apiKey })
const ledger = await ledgers.openLedger({ path })
const world = await ledgers.mockWorldAt(url)
const plan = await campaigns.planCampaign(rowsOf(rows), {
  client,
  ledger,
  account: 'harness',
  world,
  campaign: 'harness',
})
say({ type: 'planned', counts: plan.counts })
for await (const event of campaigns.runCampaign(plan, { concurrency, timeoutMs })) {
  if (event.type === 'finished') say(event)
  if (event.type !== 'row') continue
  const { row, status, invites, error } = event
  say({ type: 'row', row, status, inviteIds: invites.map(({ inviteId }) => inviteId), code: error?.code })
}
plan.close()
await ledger.close()
