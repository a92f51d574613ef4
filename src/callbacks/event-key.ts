import { toBase64Url } from './base64.ts'
import { type CallbackEvent, invitesOf } from './event.ts'

/* More bytes would make it longer, and no safer. */
const BYTES = 18

/**
 * The key of an event: the same only for its repetitions. It begins with letters, because it is also an argument of commands;
 * other ones than the identifiers of the mock.
 */
export async function eventKey(reference: string, event: CallbackEvent): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([reference, event.id, identityOf(event)]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  return `cb_${toBase64Url(digest.subarray(0, BYTES))}`
}

/*
 * The specification does not say what an identifier identifies. So two events may have the same one, and neither must be lost:
 * the type, the invites and the result count as well. The whole body does not, because a repetition may have something of its
 * own in it, such as the number of the attempt. Without an identifier, or of an unknown type, only the body tells events apart.
 */
function identityOf(event: CallbackEvent): unknown {
  if (event.id === null || event.type === 'unknown') return new TextDecoder().decode(event.raw)
  return [event.name, invitesOf(event), event.type === 'certification.completed' && event.result]
}
