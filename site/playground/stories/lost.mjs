import { CertifyClient } from 'certify-sdk'
import { openLedger } from 'certify-sdk/ledger'

const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = process.env
const ledger = await openLedger(process.env.CERTIFY_LEDGER ?? 'my.ledger')
const client = new CertifyClient({ baseUrl, apiKey, ledger })

const invite = await client.invites.create(
  {
    quizId: 'quiz_react_beginner_state',
    candidate: { name: 'Ada Byron', email: 'ada@example.com' },
  },
  { reference: 'hire-4711' },
)
console.log('invited', invite.inviteId)
