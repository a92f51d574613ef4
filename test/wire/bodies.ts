/** The invite that the service made, or would have made, for one request. */
export interface WireInvite {
  readonly inviteId: string
  readonly challengeUrl: string
}

/** One kind of response body. */
export interface Body {
  readonly name: string
  readonly type: 'application/json' | 'text/html'
  readonly gzip?: boolean
  readonly textFor: (invite: WireInvite) => string
}

export const FIELD = 'developerCreateCertificationInvite'

/** What a response has under `data`. */
export const DATA = {
  'no data': () => undefined,
  'data null': () => null,
  'the field null': () => ({ [FIELD]: null }),
  'data whole': (invite: WireInvite) => ({ [FIELD]: whole(invite) }),
  'data without a link': (invite: WireInvite) => ({ [FIELD]: { ...whole(invite), challengeUrl: null } }),
  'data of another field': (invite: WireInvite) => ({ somethingElse: whole(invite) }),
  'data that is empty': () => ({}),
}
export type Data = keyof typeof DATA

/** The path of an error. */
export const PATHS: Readonly<Record<string, unknown>> = {
  'no path': undefined,
  'a null path': null,
  'the field': [FIELD],
  'a child': [FIELD, 'challengeUrl'],
  'an index': [FIELD, 0],
  'an empty path': [],
  'a path that is a text': FIELD,
  'a path that is an object': {},
  'a path of another field': ['somethingElse'],
  'a path of a number': [0],
  'a path of null': [null],
  'a path that ends in null': [FIELD, null],
}

export const CODES = [
  'FORBIDDEN',
  'NOT_FOUND',
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'INTERNAL_SERVER_ERROR',
  'QUOTA_EXCEEDED',
  undefined,
] as const
export type Code = (typeof CODES)[number]

/** A GraphQL result with one error for each code and path. */
export function failing(data: Data, ...errors: readonly (readonly [Code, path: string])[]): Body {
  const what = errors.map(([code, path]) => `${code ?? 'no code'} at ${path}`).join(' and ')
  return json(`${what}, ${data}`, (invite) => ({
    data: DATA[data](invite),
    errors: errors.map(([code, path]) => ({ message: 'no', path: PATHS[path], extensions: code && { code } })),
  }))
}

/** A GraphQL result without errors. */
export function succeeding(data: Data): Body {
  return json(data, (invite) => ({ data: DATA[data](invite) }))
}

/** A GraphQL result whose `errors` is not a list of errors. */
export function oddErrors(data: Data, errors: unknown): Body {
  return json(`errors ${JSON.stringify(errors)}, ${data}`, (invite) => ({ data: DATA[data](invite), errors }))
}

/** JSON that is not a GraphQL result. */
export function otherJson(value: unknown): Body {
  return json(`JSON ${JSON.stringify(value)}`, () => value)
}

export const NOTHING: Body = { name: 'no body', type: 'text/html', textFor: () => '' }
export const HTML: Body = { name: 'HTML', type: 'text/html', textFor: () => '<!doctype html><h1>no</h1>' }

/** The same, compressed. */
export function gzipped(body: Body): Body {
  return { ...body, name: `${body.name}, gzip`, gzip: true }
}

function json(name: string, valueFor: (invite: WireInvite) => unknown): Body {
  return { name, type: 'application/json', textFor: (invite) => JSON.stringify(valueFor(invite)) }
}

function whole({ inviteId, challengeUrl }: WireInvite) {
  return { inviteId, status: 'PENDING', challengeUrl, expiresAt: '2030-01-15T00:00:00Z', emailSent: true }
}
