// The built package, with the types of its sources: dist/ may be missing when types are checked.
const built = (/** @type {string} */ path) => import(new URL(`../../dist/${path}`, import.meta.url).href)

/** @type {typeof import('../../src/index.ts')} */
export const sdk = await built('index.js')
/** @type {typeof import('../../src/ledger/index.ts')} */
export const ledgers = await built('ledger/index.js')
/** @type {typeof import('../../src/ledger/postgres.ts')} */
export const postgresLedgers = await built('ledger/postgres.js')
/** @type {typeof import('../../src/callbacks/index.ts')} */
export const callbacks = await built('callbacks/index.js')
/** @type {typeof import('../../mock-server/index.ts')} */
export const mocks = await built('mock/index.js')

/**
 * What only the SDK calls of a ledger.
 *
 * @param {object} ledger
 * @returns {import('../../src/ledger/rules/ledger-types.ts').LedgerInternals}
 */
export const partsOf = (ledger) => Object(ledger)[Symbol.for('certify-sdk/internals')]
