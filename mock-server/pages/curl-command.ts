export interface CurlRequest {
  readonly url: string
  readonly method: string
  /** A header that is `null` is not sent, even where curl has a default. */
  readonly headers: Readonly<Record<string, string | null>>
  readonly body: string
}

/** A command for curl in a POSIX shell, which sends exactly this request. */
export function curlCommand({ url, method, headers, body }: CurlRequest): string {
  const hasBody = body !== '' || method === 'POST'
  return [
    `curl -sS ${quoted(url)}`,
    // Otherwise curl reads a pattern in the address, and shortens its path.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...(/\/\./.test(url) ? ['--path-as-is'] : []),
    ...methodFlags(method, hasBody),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(headerLine(name, value))}`),
    ...(hasBody ? [`--data-raw ${quoted(body)}`] : []),
  ].join(' \\\n  ')
}

/** A text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function methodFlags(method: string, hasBody: boolean): string[] {
  if (method === (hasBody ? 'POST' : 'GET')) return []
  return method === 'HEAD' ? ['--head'] : [`-X ${quoted(method)}`]
}

/** As curl reads it: a header without a value ends with a semicolon, one that is not sent with a colon. */
function headerLine(name: string, value: string | null): string {
  if (value === null) return `${name}:`
  return value === '' ? `${name};` : `${name}: ${value}`
}
