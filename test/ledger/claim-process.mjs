// One process that creates invites through a ledger, and says how each ended.
import { ledgers, sdk } from './built.mjs'
import { emailOf, QUIZ_ID } from './rows.mjs'

/** @type {{ url: string, apiKey: string, path: string, rows: number }} */
const { url, apiKey, path, rows } = JSON.parse(process.argv[2] ?? '{}')
const client = new sdk.CertifyClient({ baseUrl: url, apiKey })
const ledger = await ledgers.openLedger(path)
const guarded = ledgers.withLedger(client, ledger, { account: 'race' })
const ends = []
for (let row = 1; row <= rows; row += 1) {
  const input = { quizId: QUIZ_ID, candidate: { email: emailOf(row) } }
  const { value, error } = await sdk.settle(guarded.invites.create(input, { ifInvited: 'reuse' }))
  ends.push(value?.inviteId ?? error?.code)
}
await ledger.close()
console.log(JSON.stringify(ends))
