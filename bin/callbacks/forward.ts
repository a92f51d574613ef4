import { InvalidArgumentError } from 'commander'
import type { ReceivedEvent } from '../../src/callbacks/index.ts'
import type { Fetch } from '../../src/index.ts'
import { systemCode } from '../cli-error.ts'
import { once } from '../flags.ts'

/** Why an event was not forwarded. */
export class ForwardFailure extends Error {}

export interface ForwardLimits {
  /** For one attempt. */
  readonly timeoutMs: number
  /** Ends the attempts in progress. */
  readonly stopping: AbortSignal
}

/** Reads the address of --forward-to. */
export function readForwardAddress(text: string, previous: string | undefined): string {
  const url = once(text, previous)
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  throw new InvalidArgumentError('It must be a URL, as in http://127.0.0.1:3000/certify.')
}

/**
 * Returns the function that sends an event to an application. It resolves once that has responded with 2xx; redirects
 * are not followed.
 *
 * @throws ForwardFailure
 */
export function forwardTo(url: string, fetch: Fetch, { timeoutMs, stopping }: ForwardLimits) {
  return async ({ key, reference, id, raw }: ReceivedEvent): Promise<void> => {
    /* Not AbortSignal.any: on Node.js 20 and 22 `stopping` would keep a trace of every event. */
    const ending = new AbortController()
    const { signal } = ending
    const end = () => ending.abort()
    const timer = setTimeout(end, timeoutMs)
    stopping.addEventListener('abort', end)
    if (stopping.aborted) end()
    const headers = {
      'content-type': 'application/json',
      'x-certify-event-key': key,
      'x-certify-reference': encodeURIComponent(reference),
      /* The identifier may have come in a header rather than in the body. */
      ...(id !== null && /^[!-~]+$/.test(id) && { 'x-certify-event-id': id }),
    }
    /* Stored bodies are UTF-8; a byte order mark stays. */
    const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
      .catch((error: unknown) => {
        throw new ForwardFailure(signal.aborted ? 'no response in time' : systemCode(error))
      })
      .finally(() => {
        clearTimeout(timer)
        stopping.removeEventListener('abort', end)
      })
    /* The body is not needed: this ends its connection. */
    end()
    if (!response.ok) throw new ForwardFailure(`HTTP ${response.status}`)
  }
}
