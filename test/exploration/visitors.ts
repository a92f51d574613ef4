import type { InviteEvent } from '../../src/callbacks/event.ts'
import { isCertifyError } from '../../src/index.ts'
import type { NewRecord } from '../../src/ledger/rules/record.ts'
import type { Actor, Choice } from './actor.ts'
import { type Executed, inviteIdsOf } from './service.ts'
import { keyOf, referenceIn } from './store.ts'
import type { World } from './world.ts'

/** A person who has looked at the service, and an event from it: at most one of each per claim. */
export function choicesOfVisitors(world: World): readonly Choice[] {
  const visit = (label: string, name: string, start: (actor: Actor) => Promise<void>): readonly Choice[] =>
    world.actors.some((actor) => actor.name === name)
      ? []
      : [{ label, cost: 1, take: () => world.addActor(name, (actor) => start(actor).catch(unlessRefused)) }]
  const open = world.store.sends.filter(({ state }) => state === 'sending' || state === 'unknown')
  return [
    ...open.flatMap((send) => {
      const { reference } = send
      const key = keyOf(send)
      /* What the service shows for the reference. */
      const made =
        world.service.executionOf(key) ??
        world.service.executed.find((each) => referenceIn(each.reference) === reference)
      return visit(
        `a person finds ${key} ${made === undefined ? 'not created' : 'created'}`,
        `person-${key}`,
        (person) => findsOut(world, person, send, made),
      )
    }),
    ...world.service.executed.flatMap((made) =>
      visit(`an event about ${made.reference} comes`, `event-${made.reference}`, (event) => hears(world, event, made)),
    ),
  ]
}

function unlessRefused(error: unknown): void {
  if (!isCertifyError(error)) throw error
}

/* What the person found may no longer be true when it is recorded. */
async function findsOut(
  world: World,
  person: Actor,
  { reference, sentAt }: NewRecord,
  made: Executed | undefined,
): Promise<void> {
  const found = made === undefined ? ({ notCreated: true } as const) : { created: inviteIdsOf(made.result) }
  const finding = { ...found, of: new Date(sentAt) }
  person.receive(JSON.stringify(finding))
  try {
    await world.ledgerOf(person).resolve(reference, finding)
  } catch (error) {
    if (isCertifyError(error) && error.code === 'INPUT_INVALID') world.books.refused(person, reference)
    throw error
  }
}

/* The candidate has finished. */
async function hears(world: World, actor: Actor, { reference: key, result, job }: Executed): Promise<void> {
  const reference = referenceIn(key)
  const [inviteId = ''] = inviteIdsOf(result)
  const event: InviteEvent = {
    type: 'certification.completed',
    key: `event-${key}`,
    reference,
    receivedAt: world.store.now,
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
  actor.receive(event.receivedAt)
  const learned = await world.ledgerOf(actor).inbox.learn(event)
  if (learned === 'recorded') world.books.learned(reference, inviteId)
}
