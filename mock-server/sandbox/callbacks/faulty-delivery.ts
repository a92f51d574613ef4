import type { CallbackFault } from '../../generated/contract.ts'
import type { CallbackEvent } from './event.ts'
import type { CallbackSender, Delivery, DeliveryResult } from './sender.ts'

/** A fault that changes how an event is sent; the others postpone it. */
export type SendingFault = Exclude<CallbackFault, 'reorder' | object>

/** Sends an event: once, twice for a duplicate, not at all where a fault drops it. A forgery is no attempt. */
export async function sendWithFault(
  sender: CallbackSender,
  { id, url, body, attempts }: CallbackEvent,
  fault: SendingFault | null,
): Promise<(DeliveryResult | 'dropped')[]> {
  const send = (changed: Partial<Delivery> = {}): Promise<DeliveryResult> =>
    sender.send({ id, url, body, attempt: attempts.length + 1, ...changed })
  switch (fault) {
    case 'drop':
      return ['dropped']
    case 'refuse':
      return [{ error: 'refused by a fault', blocked: false }]
    case 'duplicate':
      return [await send(), await send({ attempt: attempts.length + 2 })]
    case 'truncated':
      return [await send({ body: body.slice(0, body.length / 2) })]
    case 'huge':
      return [await send({ body: body + ' '.repeat(PADDING) })]
    case 'forged':
      await send({ url: forgedAddress(url) })
      return [await send()]
    case null:
      return [await send()]
  }
}

/** As guessed by an attacker who does not know it: with another last character. */
function forgedAddress(url: string): string {
  const address = new URL(url)
  const { pathname } = address
  address.pathname = pathname.slice(0, -1) + (pathname.endsWith('A') ? 'B' : 'A')
  return address.href
}

const PADDING = 5_000_000
