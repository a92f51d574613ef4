/* What a mock reads and keeps at most, whoever sends it. */

/** A request of the service, and of the page: bytes of its body. */
export const MAX_BODY_BYTES: number = 1024 * 1024

/** A world or a state, which only the control API takes: bytes of its body. */
export const MAX_STATE_BYTES: number = 64 * MAX_BODY_BYTES

/** The tokens of a GraphQL document. */
export const MAX_TOKENS = 4000

/** The requests in the log. The oldest ones leave it. */
export const MAX_LOGGED_REQUESTS = 1000

/** The fault rules that are used up. The oldest ones leave the list. */
export const MAX_USED_UP_RULES = 100

/** The sessions that are open at the same time. */
export const MAX_SESSIONS = 1000

/** The streams of events that are open at the same time. */
export const MAX_STREAMS = 100

/** The keys that the log hides, those of earlier worlds included. The oldest ones are forgotten. */
export const MAX_HIDDEN_KEYS = 1000

/** What is read of the response of a receiver of callbacks. */
export const MAX_ANSWER_CHARACTERS = 4096

/** What the log keeps of an address, a body and a response: at most 64 kB each, in UTF-8. */
export const MAX_LOGGED_CHARACTERS = 16_384

/** The longest delay of a platform timer: one that is longer rings at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1
