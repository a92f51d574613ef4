import type { CallbackFault } from '../contract/fault-rules.ts'
import type { CallbackEvent } from './callback-event.ts'
import type { CallbackSender, Delivery, DeliveryResult } from './callback-sender.ts'

/** Sends an event: once, twice for a duplicate, not at all where a fault drops it. A forgery is no attempt. */
export async function sendWithFault(
  sender: CallbackSender,
  event: CallbackEvent,
  fault: CallbackFault | null,
  now: () => number,
): Promise<(DeliveryResult | 'dropped')[]> {
  if (fault === 'drop') return ['dropped']
  if (fault === 'refuse') return [{ error: 'refused by a fault', blocked: false }]
  const signing = fault === 'bad-signature' ? 'bad' : fault === 'stale-timestamp' ? 'stale' : 'true'
  const delivery = (further: number): Delivery => ({
    id: event.id,
    url: event.url,
    body: fault === 'truncated' || fault === 'huge' ? spoilt(event.body, fault) : event.body,
    attempt: event.attempts.length + further,
    at: now(),
    signing,
  })
  if (fault === 'forged') await sender.send({ ...delivery(1), url: forgedAddress(event.url) })
  const first = await sender.send(delivery(1))
  return fault === 'duplicate' ? [first, await sender.send(delivery(2))] : [first]
}

function spoilt(body: string, fault: 'truncated' | 'huge'): string {
  return fault === 'truncated' ? body.slice(0, body.length / 2) : body + ' '.repeat(PADDING)
}

/** As guessed by somebody who does not know it: with another last character. */
function forgedAddress(url: string): string {
  const address = new URL(url)
  const { pathname } = address
  address.pathname = pathname.slice(0, -1) + (pathname.endsWith('A') ? 'B' : 'A')
  return address.href
}

const PADDING = 5_000_000
