/**
 * Runs a ledger and its inbox on every runtime: an invite is created once by all runtimes together, and found again.
 * Its events are handled once, and recorded in the ledger.
 *
 * @param {Pick<typeof import('../../src/index.ts'), 'CertifyClient'>} sdk the packed package
 * @param {Pick<typeof import('../../src/ledger/index.ts'), 'openLedger'>} ledgers
 * @param {Pick<typeof import('../../src/callbacks/index.ts'), 'callbackUrls' | 'createCallbackHandler'>} callbacks
 */
export async function main({ CertifyClient }, { openLedger }, callbacks) {
  /** @type {{ url: string, apiKey: string, path: string }} */
  const { url, apiKey, path } = JSON.parse(process.argv[2] ?? '{}')
  const ledger = await openLedger(path)
  const client = new CertifyClient({ baseUrl: url, apiKey, ledger, account: 'runtimes' })
  const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@candidate.test' } }
  const { inviteId } = await client.invites.create(input, { ifInvited: 'reuse' })
  const again = await client.invites.create(input).catch(({ code }) => code)
  const events = await receive(inviteId, ledger, callbacks)
  const { driver, problems } = await ledger.check()
  await ledger.close()
  console.log(JSON.stringify({ inviteId, again, driver, problems, ...events }))
}

/**
 * The candidate passes a retake before the retake is known, and each event is delivered twice. The first program
 * handles them, later ones handle none.
 *
 * @param {string} inviteId
 * @param {import('../../src/ledger/index.ts').Ledger} ledger
 * @param {Pick<typeof import('../../src/callbacks/index.ts'), 'callbackUrls' | 'createCallbackHandler'>} callbacks
 */
async function receive(inviteId, ledger, { callbackUrls, createCallbackHandler }) {
  const urls = callbackUrls({ baseUrl: 'https://app.example', secrets: ['a secret of thirty-two characters'] })
  /** @type {string[]} */
  const handled = []
  const handler = createCallbackHandler({
    callbacks: urls,
    inbox: ledger.inbox,
    onEvent: ({ id }) => void handled.push(id ?? ''),
  })
  const [{ reference } = { reference: '' }] = await all(ledger.list())
  const claim = { originalInviteId: inviteId, followUpInviteId: 'inv_retake', kind: 'retake' }
  for (const [id, type, data] of /** @type {const} */ ([
    ['evt_1', 'certification.completed', { inviteId, result: 'FAILED' }],
    ['evt_3', 'certification.completed', { inviteId: 'inv_retake', result: 'PASSED' }],
    ['evt_2', 'certification.follow_up_claimed', claim],
  ])) {
    const body = JSON.stringify({ id, type, data })
    for (let time = 0; time < 2; time += 1) {
      const headers = { 'content-type': 'application/json' }
      const { status } = await handler(new Request(await urls.mint(reference), { method: 'POST', headers, body }))
      if (status !== 200) throw new Error(`an event was answered with ${status}`)
    }
    await handler.drain()
  }
  const states = (await all(ledger.inbox.list())).map(({ state }) => state)
  const [record] = await all(ledger.list())
  const results = [...(record?.invites ?? []), ...(record?.followUps ?? [])].map(({ result }) => result)
  await handler.close()
  return { handled, states, results }
}

/** @template T @param {AsyncIterable<T>} list */
async function all(list) {
  /** @type {T[]} */
  const found = []
  for await (const each of list) found.push(each)
  return found
}
