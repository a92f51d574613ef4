import type { Ledger } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import type { OpenSender } from './open-ledger.ts'

/**
 * Refuses candidates whom the ledger has under another account of this service: they would be invited a second time. Invites
 * of one account never count for another.
 *
 * @param emails the candidates
 * @throws CliError
 */
export async function refuseOtherAccounts(
  { ledger, scope, place }: Pick<OpenSender, 'ledger' | 'scope' | 'place'>,
  emails: Iterable<string>,
): Promise<void> {
  const { emailKey } = await import('../../src/ledger/index.ts')
  const wanted = new Map([...emails].map((email) => [emailKey(email), email]))
  if (wanted.size === 0) return
  const found = new Map<string, number>()
  /* A few are looked up one by one, many in one pass. */
  const lists = wanted.size <= MOST_LOOK_UPS ? [...wanted.values()].map((email) => ({ email })) : [{}]
  for (const filter of lists) {
    const { baseUrl, world } = scope
    const seen = new Set<string>()
    for await (const { account, state, input } of ledger.list({ baseUrl, world, ...filter })) {
      const key = emailKey(input.candidate.email)
      if (account === scope.account || !BLOCKING.has(state) || !wanted.has(key) || seen.has(key)) continue
      seen.add(key)
      found.set(account, (found.get(account) ?? 0) + 1)
    }
  }
  const [first] = [...found].toSorted(([, one], [, other]) => other - one)
  if (first === undefined) return
  const [account, count] = first
  throw new CliError(
    `the ledger has ${count === 1 && wanted.size === 1 ? 'this candidate' : `${count} of these candidates`} under the account ` +
      `“${account}”, and this is “${scope.account}” (${place.account.origin}). Nothing was sent.`,
    `If it is the same account, give --account ${account}, or store it: certify auth login --account ${account}. If it is ` +
      'another one, give it a ledger of its own with --ledger.',
    { code: 'ACCOUNT_DIFFERS', exitCode: 5 },
  )
}

const MOST_LOOK_UPS = 100
const BLOCKING: ReadonlySet<string> = new Set(['sending', 'created', 'unknown'])

/** Whether the ledger has nothing for the account, so that no candidate is recognised. */
export async function isEmpty(ledger: Ledger, { account, world }: OpenSender['scope']): Promise<boolean> {
  const first = await ledger.list({ account, world })[Symbol.asyncIterator]().next()
  return first.done === true
}
