import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import { switches } from '../schemas/switches.ts'
import { worldJsonSchema, worldSchema } from '../schemas/world.ts'
import { type Operation, operation } from './operation.ts'

/** The data that the world begins with, and its behaviour switches. */
export function worldOperations(mock: MockServer): Operation[] {
  const identity = z.object({ worldId: z.string() })
  const someSwitches = z.partial(switches)
  return [
    operation(
      'PUT /world',
      'Replaces the world by another one, and begins it',
      { body: z.looseObject({}), documented: worldSchema, example: {}, result: identity },
      ({ body }) => {
        mock.load(body)
        return { worldId: mock.worldId }
      },
    ),
    operation(
      'GET /world.schema.json',
      'The JSON Schema of a world, for editors',
      { result: z.looseObject({}) },
      worldJsonSchema,
    ),
    operation('GET /behaviour', 'The behaviour switches', { result: switches }, () => behaviourOf(mock)),
    operation(
      'PATCH /behaviour',
      'Sets some behaviour switches, until a reset',
      {
        body: z.looseObject({}),
        documented: someSwitches,
        example: { pendingInvite: 'allow' },
        result: switches,
      },
      ({ body }) => {
        mock.setBehaviour(body)
        return behaviourOf(mock)
      },
    ),
  ]
}

/** As JSON: a function of `followUpOffer` is only named. */
function behaviourOf({ behaviour }: MockServer): object {
  const { followUpOffer, ...others } = behaviour
  return { ...others, followUpOffer: typeof followUpOffer === 'function' ? 'function' : followUpOffer }
}
