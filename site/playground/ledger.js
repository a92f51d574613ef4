// What a program imports as `certify-sdk/ledger`: any path is the one ledger of this tab, on the clock of the mock.
import { openLedger as open } from 'certify-sdk/ledger'

export * from 'certify-sdk/ledger'
export const openLedger = (_path, options) => open(':memory:', { clock: globalThis.ledgerClock, ...options })
