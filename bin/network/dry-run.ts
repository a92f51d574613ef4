import type { Fetch } from '../../src/index.ts'

/** A request that was not sent, without the key and the token of a callback URL. */
export interface DryRunRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Catches the request of a call, and sends nothing. */
export class DryRun {
  request: DryRunRequest | undefined

  readonly fetch: Fetch = async (url, { method, headers, body }) => {
    const shown = Object.entries(headers).map(([name, value]) => [name, SHOWN.has(name) ? value : '(not shown)'])
    this.request = { method, url, headers: Object.fromEntries(shown), body: JSON.parse(body, withoutToken) as unknown }
    throw new Error('a dry run ends here')
  }
}

/* Anyone who has it can post events for the invite. The reference in front can stay: it is in a header too. */
function withoutToken(name: string, value: unknown): unknown {
  return name === 'callbackUrl' && typeof value === 'string'
    ? value.replace(/(?<=\.)[\w-]{43}(?=[/?#]|$)/, '(not shown)')
    : value
}

/** The request as HTTP text, for a person. */
export function drawRequest({ method, url, headers, body }: DryRunRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${url}\n${lines.join('\n')}\n\n${JSON.stringify(body, null, 2)}\n`
}

const SHOWN: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent', 'x-client-reference'])
