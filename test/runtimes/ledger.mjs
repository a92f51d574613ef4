/**
 * The program that runs a ledger on every runtime: an invite is created once, whoever asks, and found again.
 *
 * @param {Pick<typeof import('../../src/index.ts'), 'CertifyClient' | 'settle'>} sdk the packed package
 * @param {Pick<typeof import('../../src/ledger/index.ts'), 'openLedger' | 'withLedger'>} ledgers
 */
export async function main({ CertifyClient, settle }, { openLedger, withLedger }) {
  /** @type {{ url: string, apiKey: string, path: string }} */
  const { url, apiKey, path } = JSON.parse(process.argv[2] ?? '{}')
  const ledger = await openLedger({ path })
  const guarded = withLedger(new CertifyClient({ baseUrl: url, apiKey }), ledger, { account: 'runtimes' })
  const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@candidate.test' } }
  const { inviteId } = await guarded.invites.create(input, { ifInvited: 'reuse' })
  const again = await settle(guarded.invites.create(input))
  const { driver, problems } = await ledger.check()
  await ledger.close()
  console.log(JSON.stringify({ inviteId, again: again.error?.code, driver, problems }))
}
