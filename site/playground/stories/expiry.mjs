import { CertifyClient, isCertifyError } from 'certify-sdk'
import { openLedger } from 'certify-sdk/ledger'

const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = process.env
const ledger = await openLedger(process.env.CERTIFY_LEDGER ?? 'my.ledger')
const client = new CertifyClient({ baseUrl, apiKey, ledger })

const input = {
  quizId: 'quiz_react_beginner_state',
  candidate: { name: 'Ada Byron', email: 'ada@example.com' },
}
for (const reference of ['hire-4711', 'hire-4711-again']) {
  try {
    const invite = await client.invites.create(input, { reference })
    console.log(reference, 'until', invite.expiresAt)
  } catch (error) {
    if (!isCertifyError(error)) throw error
    console.log(reference, error.outcome, error.code)
  }
}
