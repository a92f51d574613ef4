// One client, one key and one account of the ledger for each tenant.
import { CertifyClient } from 'certify-sdk'
import { mockWorldAt, withLedger } from 'certify-sdk/ledger'

/**
 * @param {object} options
 * @param {string} options.baseUrl
 * @param {import('certify-sdk/ledger').Ledger} options.ledger shared by all tenants
 * @param {(tenant: string) => string | Promise<string>} options.keyOf called before each attempt: a new key counts at once
 */
export async function createTenants({ baseUrl, ledger, keyOf }) {
  const world = await mockWorldAt(baseUrl)
  const clients = new Map()

  /* Made once: a client with a ledger remembers the packages that its key may read. */
  function clientOf(tenant) {
    const known = clients.get(tenant)
    if (known !== undefined) return known
    const client = new CertifyClient({ baseUrl, apiKey: () => keyOf(tenant), deadlineMs: 20_000 })
    const guarded = withLedger(client, ledger, scopeOf(tenant))
    clients.set(tenant, guarded)
    return guarded
  }

  /* The account is the tenant: the same person may be invited by two tenants, and by each of them only once. */
  const scopeOf = (tenant) => ({ account: tenant, world })

  return {
    invite(tenant, input) {
      const { invites, packageInvites } = clientOf(tenant)
      return 'packageId' in input
        ? packageInvites.create(input, { ifInvited: 'reuse' })
        : invites.create(input, { ifInvited: 'reuse' })
    },
    async list(tenant) {
      const rows = []
      for await (const { reference, state, sentAt, quizId, packageId } of ledger.list(scopeOf(tenant))) {
        rows.push({ reference, state, sentAt, quizId, packageId })
      }
      return rows
    },
    /** An entry of another tenant is as one that does not exist. */
    async find(tenant, reference) {
      const entry = await ledger.find(reference)
      return entry?.account === tenant ? entry : undefined
    },
  }
}
