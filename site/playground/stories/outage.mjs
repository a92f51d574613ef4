import { CertifyClient, isCertifyError } from 'certify-sdk'
import { openLedger } from 'certify-sdk/ledger'

const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = process.env
const ledger = await openLedger(process.env.CERTIFY_LEDGER ?? 'my.ledger')
const client = new CertifyClient({ baseUrl, apiKey, ledger })

for (const name of ['ada', 'grace', 'joan', 'mary', 'edith', 'radia']) {
  const candidate = { email: `${name}@example.com` }
  const input = { quizId: 'quiz_react_beginner_state', candidate }
  try {
    await client.invites.create(input, { reference: `hire-${name}` })
    console.log(name, 'is invited')
  } catch (error) {
    if (!isCertifyError(error)) throw error
    console.log(name, error.outcome, error.code)
  }
}
