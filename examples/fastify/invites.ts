import { env } from 'node:process'
import { CertifyClient, type CertifyErrorCode, isCertifyError } from 'certify-sdk'
import { callbackUrls, createCallbackHandler, withCallbacks } from 'certify-sdk/callbacks'
import { mockWorldAt, openLedger, withLedger } from 'certify-sdk/ledger'
import { createFetch } from 'certify-sdk/node'

/** A person that your application wants to invite. */
export interface Applicant {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** What a route answers. */
export interface Answer {
  readonly status: number
  readonly body: object
}

export type Invites = Awaited<ReturnType<typeof openInvites>>

/** Opens what the routes need: once in a process. Call `close` when no request is left. */
export async function openInvites() {
  const { CERTIFY_BASE_URL = '', CERTIFY_API_KEY = '', CALLBACK_URL = '', CALLBACK_SECRET = '' } = env
  const client = new CertifyClient({
    baseUrl: CERTIFY_BASE_URL,
    apiKey: CERTIFY_API_KEY,
    /* Less than the time that a process has after SIGTERM (Kubernetes: 30 s): so every create ends before its process. */
    deadlineMs: 20_000,
    /* It sends no create on a connection that a load balancer ended while it was idle. */
    fetch: createFetch(),
  })
  const urls = callbackUrls({ baseUrl: CALLBACK_URL, secrets: [CALLBACK_SECRET] })
  const ledger = await openLedger(env['LEDGER'] ?? 'invites.ledger')
  /* Empty for the real service. A mock that was started again does not know its earlier invites. */
  const world = await mockWorldAt(CERTIFY_BASE_URL)
  const guarded = withLedger(withCallbacks(client, urls), ledger, { account: 'acme-production', world })

  const callbacks = createCallbackHandler({
    urls,
    inbox: ledger.inbox,
    ledger,
    /* The ledger has recorded the event. Here you change your own tables. */
    onEvent: ({ type, reference }) => console.log(`callback: ${type}, reference ${reference}`),
    onFailure: (error, event) => console.error('callback:', event?.key, error),
  })
  /* Handles what was stored before a crash. */
  void callbacks.drain()

  return {
    callbacks,

    /** Invites an applicant once, however often it is called. It checks `quizId`: pass it as it came. */
    invite: async ({ id, name, email }: Applicant, quizId: unknown): Promise<Answer> => {
      const input = { quizId: quizId as string, candidate: { name, email }, externalReference: id }
      try {
        /* Without the signal of the HTTP request: if the client goes away, the create still ends, and is recorded. */
        const { inviteId } = await guarded.invites.create(input)
        return { status: 201, body: { state: 'invited', inviteId } }
      } catch (error) {
        return answerTo(error, quizId)
      }
    },

    /** What was sent to an applicant, newest first, and what became of it. Without links. */
    stateOf: async ({ email }: Applicant): Promise<Answer> => {
      const sends: object[] = []
      for await (const { reference, quizId, sentAt, state, invites } of ledger.list({ email, world })) {
        sends.push({ reference, quizId, sentAt, state, results: invites.map(({ result }) => result ?? 'none yet') })
      }
      return { status: 200, body: { sends } }
    },

    close: async () => {
      await callbacks.close()
      await ledger.close()
    },
  }
}

/** The outcome of a failed create decides. The client of this API never has to know the words of the service. */
function answerTo(error: unknown, quizId: unknown): Answer {
  if (!isCertifyError(error)) throw error
  const { code, outcome, reference } = error
  if (code === 'ALREADY_INVITED') {
    /* An earlier package invite has invites of other quizzes as well. */
    const earlier = error.prior.flatMap(({ invites }) => invites)
    const { inviteId } = earlier.find((invite) => invite.quizId === quizId) ?? {}
    return { status: 200, body: { state: 'invited', inviteId } }
  }
  /* It has no key, no link and no data of the candidate. */
  console.error(`invite: ${code}, outcome ${outcome}, reference ${reference ?? 'none'}`)
  /* An invite may exist. The ledger refuses to send another one before somebody, or an event, has settled it. */
  if (outcome !== 'not-executed' || code === 'PRIOR_OUTCOME_UNKNOWN' || code === 'IN_PROGRESS') {
    return { status: 202, body: { state: 'being checked', reference } }
  }
  return { status: STATUS[code] ?? 502, body: { state: 'not invited', code } }
}

/* Nothing was created. 4xx: the same request would end the same. 503: it may be sent again. 502: a person has to look. */
const STATUS: Partial<Record<CertifyErrorCode, number>> = {
  INPUT_INVALID: 400,
  BAD_USER_INPUT: 422,
  NOT_FOUND: 422,
  CREDENTIALS_UNAVAILABLE: 503,
  RATE_LIMITED: 503,
  UNREACHABLE: 503,
  TIMED_OUT: 503,
  LEDGER_UNUSABLE: 503,
  CLOCK_SKEW: 503,
}
