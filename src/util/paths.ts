/** Whether a text is a URL rather than a path. The name of a drive has one letter. */
export function isUrl(text: string): boolean {
  return /^\s*[a-z][a-z\d+.-]+:/i.test(text)
}

/**
 * What a path has that a shell or another system would have replaced, in words; `undefined` if it has nothing. A path that begins
 * with `./` is meant as it is.
 */
export function unexpandedIn(path: string, platform: string): string | undefined {
  const isWindows = platform === 'win32'
  if (/\p{Cc}/u.test(path)) return 'a control character, such as the end of a line'
  if (path.startsWith('./') || (isWindows && path.startsWith('.\\'))) return undefined
  return UNEXPANDED.find(([pattern, , isPlainOnWindows]) => pattern.test(path) && !(isWindows && isPlainOnWindows))?.[1]
}

const UNEXPANDED: readonly (readonly [pattern: RegExp, what: string, isPlainOnWindows?: true])[] = [
  [/^[\s\p{Cf}]|[\s\p{Cf}]$/u, 'white space at its beginning or end'],
  [/^["'`\u2018-\u201F]|["'`\u2018-\u201F]$/, 'a quotation mark at its beginning or end'],
  [/^~/, 'a ~ at its beginning, which only a shell replaces'],
  [/(?:^|[\\/])\$|\$\{/, 'a $, with which a shell begins a variable'],
  [/%[a-z_]\w*%/i, 'a variable between two %, which only Windows replaces'],
  [/^[a-z]:/i, 'the drive of a Windows path', true],
  [/\\/, 'a backslash, as a Windows path has', true],
]

export const NOT_EXPANDED =
  'A .env file, a unit file and docker --env-file expand nothing: give the whole path. Otherwise each working folder would get ' +
  'a ledger of its own, and a candidate several invites. If the name is meant so, write ./ before it.'
