/// <reference types="@cloudflare/workers-types" />
import { DurableObject } from 'cloudflare:workers'
import { CertifyClient, type CertifyErrorCode, isCertifyError } from 'certify-sdk'
import { callbackUrls } from 'certify-sdk/callbacks'

export interface Applicant {
  readonly id: string
  readonly name: string
  readonly email: string
}

export interface Env {
  readonly CANDIDATES: DurableObjectNamespace<Candidate>
  readonly CERTIFY_BASE_URL: string
  readonly CERTIFY_API_KEY: string
  readonly CALLBACK_URL: string
  readonly CALLBACK_SECRET: string
}

/** What a route answers. */
export interface Answer {
  readonly status: number
  /** When to try again, in seconds. */
  readonly retryAfter?: number
  readonly body: {
    readonly state: string
    readonly inviteId?: string
    readonly emailSent?: boolean | null
    readonly reference?: string
    readonly code?: string
  }
}

/* What was sent for one quiz. `unknown` until the response is recorded, even if this object ends before that. */
interface Send {
  readonly reference: string
  readonly quizId: string
  readonly sentAt: string
  readonly state: 'unknown' | 'created'
  readonly inviteId?: string
  readonly emailSent?: boolean | null
  readonly expiresAt?: string
  readonly result?: string
}

/** One candidate. There is only one such object in the world for each e-mail address, so nothing else sends for it. */
export class Candidate extends DurableObject<Env> {
  readonly #client = new CertifyClient({
    baseUrl: this.env.CERTIFY_BASE_URL,
    apiKey: this.env.CERTIFY_API_KEY,
    callbacks: callbackUrls({ baseUrl: this.env.CALLBACK_URL, secrets: [this.env.CALLBACK_SECRET] }),
    deadlineMs: 20_000,
  })
  #last: Promise<unknown> = Promise.resolve()

  /** Invites the candidate once, however often it is called. Calls at the same time wait for each other. */
  invite(applicant: Applicant, quizId: string): Promise<Answer> {
    const answer = this.#last.then(() => this.#inviteOnce(applicant, quizId))
    this.#last = answer.catch(() => {})
    return answer
  }

  async #inviteOnce({ id, name, email }: Applicant, quizId: string): Promise<Answer> {
    const key = `send ${quizId}`
    const prior = await this.ctx.storage.get<Send>(key)
    if (prior?.state === 'unknown') return beingChecked(prior.reference)
    if (prior?.inviteId !== undefined && Date.parse(prior.expiresAt ?? '') > Date.now()) {
      return { status: 200, body: { state: 'invited', inviteId: prior.inviteId, emailSent: prior.emailSent ?? null } }
    }
    /* It routes a callback back to this object. */
    const reference = `${this.ctx.id}.${crypto.randomUUID()}`
    const send: Send = { reference, quizId, sentAt: new Date().toISOString(), state: 'unknown' }
    /* Stored first, and only then sent. */
    await this.ctx.storage.put(key, send)
    try {
      const input = { quizId, candidate: { name, email }, externalReference: id }
      const { inviteId, expiresAt, emailSent } = await this.#client.invites.create(input, { reference })
      await this.ctx.storage.put<Send>(key, {
        ...send,
        state: 'created',
        inviteId,
        emailSent,
        expiresAt: expiresAt ?? latestExpiry(send),
      })
      return { status: 200, body: { state: 'invited', inviteId, emailSent } }
    } catch (error) {
      if (!isCertifyError(error)) throw error
      const { code, outcome, retryable, retryAfterMs = retryMs } = error
      /* Safe to log: no key, no link and no candidate data. */
      console.error(`invite: ${code}, outcome ${outcome}, reference ${reference}`)
      if (outcome !== 'not-executed') return beingChecked(reference)
      /* Nothing was created: it may be sent again. */
      await (prior === undefined ? this.ctx.storage.delete(key) : this.ctx.storage.put(key, prior))
      const status = STATUS[code] ?? (retryable ? 503 : 502)
      /* With jitter, so that clients that were turned away together do not come back together. */
      const retryAfter = Math.ceil((retryAfterMs + Math.random() * retryMs) / 1000)
      return { status, body: { state: 'not invited', code }, ...(status === 503 && { retryAfter }) }
    }
  }

  /** Records the result of an invite. This also settles a send whose response was lost. */
  async learn(reference: string, inviteId: string, result: string | null): Promise<void> {
    for (const [key, send] of await this.ctx.storage.list<Send>({ prefix: 'send ' })) {
      if (send.reference !== reference || (send.inviteId ?? inviteId) !== inviteId) continue
      const expiresAt = send.expiresAt ?? latestExpiry(send)
      const learned: Send = { ...send, state: 'created', inviteId, expiresAt, ...(result !== null && { result }) }
      await this.ctx.storage.put(key, learned)
    }
  }

  async sends() {
    const sends = [...(await this.ctx.storage.list<Send>({ prefix: 'send ' })).values()]
    return sends.map(({ reference, quizId, sentAt, state, result }) => {
      return {
        reference,
        quizId,
        sentAt,
        state,
        results: state === 'created' ? [result?.toLowerCase() ?? 'none yet'] : [],
      }
    })
  }
}

const retryMs = 30_000

function beingChecked(reference: string): Answer {
  return { status: 202, body: { state: 'being checked', reference } }
}

/* An invite is valid for 14 days. */
function latestExpiry({ sentAt }: Send): string {
  return new Date(Date.parse(sentAt) + 14 * 86_400_000).toISOString()
}

/* Nothing was created, and the same request would fail again. Otherwise 503: it may be sent again; 502: a person must look. */
const STATUS: Partial<Record<CertifyErrorCode, number>> = {
  INPUT_INVALID: 400,
  BAD_USER_INPUT: 422,
  NOT_FOUND: 422,
}
