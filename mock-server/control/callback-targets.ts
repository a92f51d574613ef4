import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import type { Internals } from '../sandbox/rows.ts'
import { object } from '../contract/validation.ts'
import { type Operation, operation } from './operation.ts'

/** Where callbacks go, so that an application can be connected without restarting the mock. */
export function callbackTargetOperations({ callbacks }: MockServer, { changes, sender }: Internals): Operation[] {
  return [
    operation('GET /callbacks/targets', 'Where callbacks are sent', { result: targets }, () => sender.targets),
    operation(
      'PATCH /callbacks/targets',
      'Changes where callbacks are sent, until a reset',
      {
        description: 'Callbacks that were blocked, and no longer are, are sent again.',
        body: z.partial(targets),
        example: { deliverTo: 'http://localhost:3000' },
        result: targets,
      },
      ({ body }) => {
        sender.setTargets(body)
        for (const { id, status, url } of callbacks.list()) {
          if (status === 'blocked' && sender.blockedHost(url) === null) callbacks.redeliver(id)
        }
        changes.note('callbacks')
        return sender.targets
      },
    ),
  ]
}

const address = z.string().check(
  z.refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
    error: 'must be an address such as http://localhost:3000',
  }),
)

const targets = object('the targets of callbacks', {
  deliverTo: z
    .nullable(address)
    .check(z.describe('The address to contact instead of the origin of every callbackUrl.')),
  hosts: z.record(address, address).check(z.describe('The origin to contact, by the origin of the callbackUrl.')),
  allow: z.array(z.string()).check(z.describe('The host names that may be contacted besides this machine.')),
})
