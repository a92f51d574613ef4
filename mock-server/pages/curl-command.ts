/** A command for curl, in a POSIX shell, that sends a request. */
export function curlCommand(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  return [
    `curl -sS ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ')
}

/** A text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
