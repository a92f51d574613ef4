import { toBase64Url } from './base64.ts'
import { type CallbackEvent, invitesOf } from './event.ts'

/* 144 bits: more would make it longer, not safer. */
const BYTES = 18

/**
 * The key of an event, the same only for its redeliveries. It starts with letters, because it is also a command-line
 * argument, and with different ones from the mock's identifiers.
 */
export async function eventKey(reference: string, event: CallbackEvent): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([reference, event.id, identityOf(event)]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  return `cb_${toBase64Url(digest.subarray(0, BYTES))}`
}

/*
 * The specification does not say what an identifier identifies. Two events may share one, and neither must be lost, so
 * the type, the invites and the result count too. The body does not, because a redelivery may change it, for example
 * with an attempt number. Without an identifier, or for an unknown type, only the body tells events apart.
 */
function identityOf(event: CallbackEvent): unknown {
  if (event.id === null || event.type === 'unknown') return new TextDecoder().decode(event.raw)
  return [event.name, invitesOf(event), event.type === 'certification.completed' && event.result]
}
