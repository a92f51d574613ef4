import { env } from 'node:process'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { callbackUrls, createCallbackHandler } from 'certify-sdk/callbacks'
import { openLedger } from 'certify-sdk/ledger'

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

/** Opens what the routes need, once per process. Call `close` when no request is left. */
export async function openInvites() {
  const { CERTIFY_BASE_URL = '', CERTIFY_API_KEY = '', CALLBACK_URL = '', CALLBACK_SECRET = '' } = env
  const ledger = await openLedger(env['CERTIFY_LEDGER'] ?? 'invites.ledger')
  const callbacks = callbackUrls({ baseUrl: CALLBACK_URL, secrets: [CALLBACK_SECRET] })
  const client = new CertifyClient({
    baseUrl: CERTIFY_BASE_URL,
    apiKey: CERTIFY_API_KEY,
    ledger,
    callbacks,
    /* Less than a process gets after SIGTERM (Kubernetes: 30 s), so that every create ends before its process. */
    deadlineMs: 20_000,
  })
  const handler = createCallbackHandler({
    callbacks,
    inbox: ledger.inbox,
    /* The ledger has recorded the event. Here you change your own tables. */
    onEvent: ({ type, reference }) => console.log(`callback: ${type}, reference ${reference}`),
  })
  /* Handles events that were stored before a crash. */
  void handler.drain()

  return {
    callbacks: handler,

    /** Invites an applicant to a quiz once, however often it is called. It checks `quizId`: pass it as received. */
    invite: async ({ id, name, email }: Applicant, quizId: unknown): Promise<Answer> => {
      const input = { quizId: quizId as string, candidate: { name, email }, externalReference: id }
      try {
        /* Without the HTTP request's signal: if the client disconnects, the create still completes and is recorded. */
        const reference = `applicant-${id}.${input.quizId}`
        const { inviteId, emailSent } = await client.invites.create(input, { reference })
        return { status: 200, body: { state: 'invited', inviteId, emailSent } }
      } catch (error) {
        return answerTo(error)
      }
    },

    /** What was sent to an applicant, newest first, and what became of it. Without links. */
    stateOf: async ({ email }: Applicant): Promise<Answer> => {
      const sends: object[] = []
      for await (const { reference, quizId, sentAt, state, invites } of ledger.list({ email })) {
        sends.push({ reference, quizId, sentAt, state, results: invites.map(({ result }) => result ?? 'none yet') })
      }
      return { status: 200, body: { sends } }
    },

    close: async () => {
      await handler.close()
      await ledger.close()
    },
  }
}

/** The outcome of a failed create decides. The client of this API never needs to know the service's error codes. */
function answerTo(error: unknown): Answer {
  if (!isCertifyError(error)) throw error
  const { code, outcome, reference, retryable } = error
  /* Safe to log: no key, no link and no candidate data. */
  console.error(`invite: ${code}, outcome ${outcome}, reference ${reference ?? 'none'}`)
  switch (code) {
    case 'ALREADY_INVITED':
      return { status: 409, body: { state: 'invited', reference } }
    case 'REFERENCE_CONFLICT':
      /* The candidate's data was corrected since: that invite has the earlier data, and cannot be changed. */
      return { status: 409, body: { state: 'invited with other data', reference } }
    case 'PRIOR_OUTCOME_UNKNOWN':
      return { status: 202, body: { state: 'being checked', reference } }
    case 'INPUT_INVALID':
      return { status: 400, body: { state: 'not invited', code } }
    case 'BAD_USER_INPUT':
    case 'NOT_FOUND':
      return { status: 422, body: { state: 'not invited', code } }
    default:
      /* An invite may exist. The ledger refuses to send another until a person or an event has settled it. */
      if (outcome !== 'not-executed') return { status: 202, body: { state: 'being checked', reference } }
      return { status: retryable ? 503 : 502, body: { state: 'not invited', code } }
  }
}
