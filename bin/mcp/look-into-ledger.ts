import { CliError } from '../cli-error.ts'
import { type OpenLedger, useLedger } from '../ledger/open-ledger.ts'
import { placeOf, type Session } from './session.ts'

/**
 * Opens the ledger for a plan. It makes none: without one, nothing is on record.
 *
 * @throws CliError, CertifyError LEDGER_UNUSABLE
 */
export async function lookIntoLedger<T>(session: Session, look: (opened: OpenLedger) => Promise<T>): Promise<T> {
  const { mockWorldAt, openLedger } = await import('../../src/ledger/index.ts')
  const { context, flags } = session
  const account = placeOf(session).account.value
  const world = await mockWorldAt(context.connection().baseUrl.value ?? '')
  const looked: T[] = []
  try {
    await useLedger(context, flags, async (ledger) => {
      looked.push(await look({ ledger, account, world }))
    })
  } catch (error) {
    if (!(error instanceof CliError && error.code === 'NOT_FOUND')) throw error
    const ledger = await openLedger(':memory:')
    try {
      looked.push(await look({ ledger, account, world }))
    } finally {
      await ledger.close()
    }
  }
  return looked[0] as T
}
