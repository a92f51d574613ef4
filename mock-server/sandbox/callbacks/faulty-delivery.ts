import type { CallbackFault } from '../../generated/contract.ts'
import type { CallbackEvent } from './event.ts'
import type { CallbackSender, Delivery, DeliveryResult } from './sender.ts'

/** A fault that changes how an event is sent; the others postpone it. */
export type SendingFault = Exclude<CallbackFault, 'reorder' | object>

type Sent = (DeliveryResult | 'dropped')[]

/** Sends an event as the fault demands. */
export async function sendWithFault(
  sender: CallbackSender,
  event: CallbackEvent,
  fault: SendingFault | null,
): Promise<Sent> {
  const { id, url, body, attempts } = event
  const send = (changed: Partial<Delivery> = {}): Promise<DeliveryResult> =>
    sender.send({ id, url, body, attempt: attempts.length + 1, ...changed })
  return fault === null ? [await send()] : SENDINGS[fault](send, event)
}

type Send = (changed?: Partial<Delivery>) => Promise<DeliveryResult>

/** The attempts of each fault: a duplicate makes two, a lost event one, and a forgery does not count. */
const SENDINGS: Readonly<Record<SendingFault, (send: Send, event: CallbackEvent) => Sent | Promise<Sent>>> = {
  drop: () => ['dropped'],
  refuse: () => [{ error: 'refused by a fault', blocked: false }],
  duplicate: async (send, { attempts }) => [await send(), await send({ attempt: attempts.length + 2 })],
  truncated: async (send, { body }) => [await send({ body: body.slice(0, body.length / 2) })],
  huge: async (send, { body }) => [await send({ body: body + ' '.repeat(PADDING) })],
  async forged(send, { url }) {
    await send({ url: forgedAddress(url) })
    return [await send()]
  },
}

/** An address as an attacker might guess it: with a different last character. */
function forgedAddress(url: string): string {
  const address = new URL(url)
  const { pathname } = address
  address.pathname = pathname.slice(0, -1) + (pathname.endsWith('A') ? 'B' : 'A')
  return address.href
}

const PADDING = 5_000_000
