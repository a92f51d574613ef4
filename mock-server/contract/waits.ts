import type { MockMail } from '../world/model.ts'
import type { MockCallback } from './callbacks.ts'
import type { MockExchange } from './request-log.ts'

/** Waiting for what an application causes, in place of a sleep. */
export interface MockWaits {
  /**
   * Resolves with the newest e-mail that fits, or with the first one to come.
   *
   * @throws Error when none comes in time, when the signal aborts, or when the mock is closed.
   * @example
   * ```ts
   * await client.invites.create({ quizId, candidate: { email: 'ada@example.com' } })
   * const { challengeUrl } = await mock.waitForMail({ to: 'ada@example.com', timeoutMs: 1000 })
   * ```
   */
  waitForMail(wait?: MailWait): Promise<MockMail>
  /**
   * Resolves with the newest callback that fits, or with the first one that does. It need not be delivered, unless `status`
   * says so.
   *
   * @throws Error when none comes in time, when the signal aborts, or when the mock is closed.
   * @example
   * ```ts
   * mock.open(invite.challengeUrl).pass()
   * const { body } = await mock.waitForCallback({ inviteId: invite.inviteId, status: 'delivered' })
   * expect(JSON.parse(body)).toMatchObject({ type: 'certification.completed' })
   * ```
   */
  waitForCallback(wait?: CallbackWait): Promise<MockCallback>
  /**
   * Resolves with the newest request that fits, or with the first one to come.
   *
   * @throws Error when none comes in time, when the signal aborts, or when the mock is closed.
   * @example
   * ```ts
   * const { number } = await mock.waitForRequest({ operation: 'developerCreateCertificationInvite' })
   * await client.tracks.list()
   * const later = await mock.waitForRequest({ after: number, status: 200 })
   * ```
   */
  waitForRequest(wait?: RequestWait): Promise<MockExchange>
}

/** How long to wait. */
export interface Wait {
  /** The time-out, in milliseconds of real time: at most 600,000. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Aborts the wait. */
  readonly signal?: AbortSignalLike | undefined
}

/** Which e-mail to wait for. */
export interface MailQuery {
  /** The address that it is sent to, compared as the switch `candidateIdentity` says. Default: any. */
  readonly to?: string | undefined
  /** The `inviteId` of a known e-mail: only later ones count. */
  readonly after?: string | undefined
}

/** Which callback to wait for. */
export interface CallbackQuery {
  /** The type of its event, such as `certification.completed`. */
  readonly type?: string | undefined
  /** The invite of its event. */
  readonly inviteId?: string | undefined
  /** The e-mail address of its candidate, compared as the switch `candidateIdentity` says. */
  readonly email?: string | undefined
  /** The `callbackUrl` that it is sent to, or its beginning. */
  readonly to?: string | undefined
  /** Its status. Default: any. */
  readonly status?: MockCallback['status'] | undefined
  /** The `id` of a known callback: only later ones count. */
  readonly after?: string | undefined
}

/** Which request to wait for. */
export interface RequestQuery {
  /** An operation that it selects, such as `developerCreateCertificationInvite`. */
  readonly operation?: string | undefined
  /** The HTTP status of its response. */
  readonly status?: number | undefined
  /** The `number` of a known request: only later ones count. */
  readonly after?: number | undefined
}

/** How to wait for an e-mail. */
export interface MailWait extends MailQuery, Wait {}

/** How to wait for a callback. */
export interface CallbackWait extends CallbackQuery, Wait {}

/** How to wait for a request. */
export interface RequestWait extends RequestQuery, Wait {}

/** The members of an `AbortSignal` that the mock uses. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
