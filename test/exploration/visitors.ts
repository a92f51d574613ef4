import type { InviteEvent } from '../../src/callbacks/invite-records.ts'
import { isCertifyError } from '../../src/index.ts'
import type { Actor } from './actor.ts'
import { type Executed, inviteIdsOf } from './service.ts'
import type { World } from './world.ts'

/** A person who asked the service what became of a send, and records the answer. It may not be true any more by then. */
export async function findsOut(
  world: World,
  actor: Actor,
  reference: string,
  made: Executed | undefined,
): Promise<void> {
  const finding = made === undefined ? ({ notCreated: true } as const) : { created: inviteIdsOf(made.result) }
  try {
    await world.ledgerOf(actor).resolve(reference, finding)
  } catch (error) {
    if (!isCertifyError(error)) throw error
    if (error.code === 'INPUT_INVALID') world.books.refused(actor, reference)
  }
}

/** A callback of the service: the candidate has finished. */
export async function hears(world: World, actor: Actor, { reference, result, job }: Executed): Promise<void> {
  const [inviteId = ''] = inviteIdsOf(result)
  const event: InviteEvent = {
    type: 'certification.completed',
    key: `event-${reference}`,
    reference,
    receivedAt: world.now,
    inviteId,
    quizId: job.quizId ?? null,
    result: 'PASSED',
    validUntil: null,
    externalReference: null,
    name: '',
    id: null,
    occurredAt: null,
    data: undefined,
    raw: new Uint8Array(),
  }
  try {
    const learned = await world.ledgerOf(actor).learn?.(event)
    if (learned === 'token' || learned === 'token+ledger') world.books.learned(reference, inviteId)
  } catch (error) {
    if (!isCertifyError(error)) throw error
  }
}
