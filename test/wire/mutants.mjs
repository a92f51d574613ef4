/**
 * A rule of the client taken out, by a change to its source.
 *
 * @typedef {{ rule: string, file: string, from: string, to: string, test: string }} Mutant
 *   `from` stands in `file` once; `test` is the one that has to notice
 */

const classify = 'src/transport/classify-response.ts'
const guarded = 'src/transport/guarded-fetch.ts'
const unsent = 'src/transport/unsent.ts'
const attempt = 'src/transport/attempt.ts'
const createFetch = 'src/node/create-fetch.ts'
const readableBody = 'src/node/readable-body.ts'

/** @type {readonly Mutant[]} */
export const MUTANTS = [
  {
    rule: 'an error below the field proves that its resolver had returned',
    file: classify,
    from: "if (isCreate && place === 'below')",
    to: "if (isCreate && place === 'below' && Date.now() < 0)",
    test: 'answers',
  },
  {
    rule: 'a 429 with a path is not sent again',
    file: classify,
    from: 'if (status === 429 && !hasBegun)',
    to: 'if (status === 429 && data === undefined)',
    test: 'answers',
  },
  {
    rule: 'a 429 with data is not sent again',
    file: classify,
    from: 'if (status === 429 && !hasBegun)',
    to: "if (status === 429 && place === 'none')",
    test: 'answers',
  },
  {
    rule: 'an unknown code with a path leaves the outcome open',
    file: classify,
    from: "const hasBegun = data !== undefined || (isCreate && place !== 'none')",
    to: 'const hasBegun = data !== undefined',
    test: 'answers',
  },
  {
    rule: 'errors that are no list of objects prove nothing',
    file: 'src/transport/graphql.ts',
    from: 'if (!list.every(isRecord)) return undefined',
    to: "if (!list.every(isRecord)) return [{ code: undefined, message: '', place: 'none' }]",
    test: 'answers',
  },
  {
    rule: 'data without the field does not show that it was executed',
    file: classify,
    from: "return { failure: 'mismatched' }",
    to: "return { failure: 'unexpected' }",
    test: 'answers',
  },
  {
    rule: 'a 302 may point to a result',
    file: guarded,
    from: 'new Set([301, 307, 308])',
    to: 'new Set([301, 302, 307, 308])',
    test: 'answers',
  },
  {
    rule: 'a 303 may point to a result',
    file: guarded,
    from: 'new Set([301, 307, 308])',
    to: 'new Set([301, 303, 307, 308])',
    test: 'answers',
  },
  {
    rule: 'a 4xx that is cut proves nothing',
    file: guarded,
    from: 'const unsent = phase',
    to: "if (response !== undefined && status !== undefined && status >= 400) return answerOf(response, '')\n    const unsent = phase",
    test: 'cuts',
  },
  {
    rule: 'the beginning of JSON may have been that of a result',
    file: classify,
    from: 'return mayHoldResult(response) ?',
    to: 'return Date.now() < 0 ?',
    test: 'cuts',
  },
  {
    rule: 'a lost connection is not tried again',
    file: 'src/transport/failures.ts',
    from: "retry: 'queries',\n    what: 'the connection ended",
    to: "retry: 'always',\n    what: 'the connection ended",
    test: 'cuts',
  },
  {
    rule: 'the end of the time is not that of a body',
    file: attempt,
    from: 'if (givenUp !== undefined && classified.failure !== undefined',
    to: 'if (Date.now() < 0 && givenUp !== undefined && classified.failure !== undefined',
    test: 'cuts',
  },
  {
    rule: 'what is no TLS may come at any time',
    file: unsent,
    from: '/^(UND_ERR_CONNECT_TIMEOUT$|',
    to: '/^(UND_ERR_CONNECT_TIMEOUT$|ERR_SSL_WRONG_VERSION_NUMBER$|',
    test: 'unsent',
  },
  {
    rule: 'words without a system call prove nothing of a fetch of the caller’s',
    file: unsent,
    from: '(isRuntimes && UNSENT.has(validCode))',
    to: 'UNSENT.has(validCode)',
    test: 'unsent',
  },
  {
    rule: 'node-fetch has a name of its own for the system call',
    file: unsent,
    from: 'syscall ?? erroredSysCall',
    to: 'syscall',
    test: 'unsent',
  },
  {
    rule: 'the invite of another candidate is no answer',
    file: attempt,
    from: 'if (belongsToAnother(endpoint, invitesIn',
    to: 'if (Date.now() < 0 && belongsToAnother(endpoint, invitesIn',
    test: 'connections',
  },
  {
    rule: 'a connection on which answers are shifted is dropped',
    file: attempt,
    from: 'if (attempted.failed !== undefined) result.response.discard',
    to: "if (attempted.failed !== undefined && attempted.failed.kind !== 'mismatched') result.response.discard",
    test: 'connections',
  },
  {
    rule: 'a connection is kept only after a success',
    file: attempt,
    from: 'if (attempted.failed !== undefined) result.response.discard',
    to: "if (attempted.failed?.kind === 'mismatched') result.response.discard",
    test: 'connections',
  },
  {
    rule: 'the command line sends nothing again on 421',
    file: createFetch,
    from: 'return sendRequest(target, init, connecting)',
    to: 'const once = () => sendRequest(target, init, connecting)\n    return once().then((answer) => (answer.status === 421 ? once() : answer))',
    test: 'answers',
  },
  {
    rule: 'a compressed body that nobody reads ends no process',
    file: readableBody,
    from: "create().on('error', () => {})",
    to: 'create()',
    test: 'answers',
  },
]
