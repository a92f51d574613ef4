// One process that creates invites through a ledger, and says how each ended.
import { ledgers, sdk } from './built.mjs'
import { emailOf, QUIZ_ID } from './rows.mjs'

/** @type {{ url: string, apiKey: string, path: string, rows: number }} */
const { url, apiKey, path, rows } = JSON.parse(process.argv[2] ?? '{}')
const ledger = await ledgers.openLedger(path)
const client = new sdk.CertifyClient({ baseUrl: url, apiKey, ledger, account: 'race' })
const ends = []
for (let row = 1; row <= rows; row += 1) {
  const input = { quizId: QUIZ_ID, candidate: { email: emailOf(row) } }
  const creating = client.invites.create(input, { ifInvited: 'reuse' })
  ends.push(
    await creating.then(
      ({ inviteId }) => inviteId,
      ({ code }) => code,
    ),
  )
}
await ledger.close()
console.log(JSON.stringify(ends))
