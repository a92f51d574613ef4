import expiry from './stories/expiry.mjs'
import lost from './stories/lost.mjs'
import outage from './stories/outage.mjs'
import retry from './stories/retry.mjs'

const LOSES = { operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut', times: 1 }
const IS_DOWN = { fault: 503, times: 10_000 }

/** What the service does, and the rule for the faults of the mock. */
export const FAULTS = [
  { name: 'works', rule: null },
  { name: 'loses its next response', rule: LOSES },
  { name: 'is down: HTTP 503', rule: IS_DOWN },
]

/** Each code is the text of a whole program: on a machine, `npx certify-sdk mock exec -- node` runs it as it is. */
export const STORIES = [
  {
    id: 'retry',
    name: 'A plain retry',
    text: 'Without the SDK: the service creates the invite, its response is lost, and a loop sends the request again. Run it, and count the e-mails.',
    fault: LOSES,
    code: retry,
  },
  {
    id: 'lost',
    name: 'A lost response',
    text: 'The same fault, with the SDK. Run it, also two at once: the outcome is unknown, and nothing is sent again. Ask Ada, record her answer in the ledger, and run it once more. A wrong answer invites her twice: try that, too.',
    fault: LOSES,
    code: lost,
  },
  {
    id: 'outage',
    name: 'An outage',
    text: 'The service answers HTTP 503, six people are to be invited, and after the first failures nothing is sent any more. Run it, let the service work again, and run it once more.',
    fault: IS_DOWN,
    code: outage,
  },
  {
    id: 'expiry',
    name: 'The 15th day',
    text: 'A link is open for 14 days, and until then a second reference is refused. Run it, move the clock, and run it again: the first reference still returns its invite, and the second one is sent.',
    fault: null,
    code: expiry,
  },
]
