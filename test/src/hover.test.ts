import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

/* A user's program as an editor sees it, and the position of the mouse. */
const PROGRAM = `import { CertifyClient, isCertifyError } from '../../src/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
const ledger = await openLedger('x')
const client = new CertifyClient({ baseUrl: '', apiKey: '', ledger, timeoutMs: 1, waitForInProgressMs: 1 })
try {
  const invite = await client.invites.create({ quizId: '', candidate: { email: '' } }, { reference: '', ifInvited: 'reuse' })
  invite.challengeUrl
} catch (error) {
  if (!isCertifyError(error)) throw error
  error.outcome
  error.prior
  error.retryAfterMs
}
`

const file = join(import.meta.dirname, 'hover-program.ts')
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = name === file ? PROGRAM : ts.sys.readFile(name)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => import.meta.dirname,
  getCompilationSettings: () => ({
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => ts.sys.fileExists(name),
  readFile: (name) => ts.sys.readFile(name),
})

function hoverOver(word: string): string {
  const info = service.getQuickInfoAtPosition(file, PROGRAM.lastIndexOf(word) + 1)
  const tags = (info?.tags ?? []).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`)
  return [ts.displayPartsToString(info?.documentation), ...tags].join('\n')
}

test.each([
  ['openLedger', [/folder/, /@throws/, /not-executed/]],
  ['CertifyClient({', [/CertifyError/, /CONFIG_INVALID/, /not-executed/]],
  ['timeoutMs', [/milliseconds/, /30,000/]],
  ['waitForInProgressMs', [/milliseconds/, /IN_PROGRESS/, /5,000/]],
  [
    'create(',
    [/ALREADY_INVITED/, /PRIOR_OUTCOME_UNKNOWN/, /IN_PROGRESS/, /not-executed/, /unknown/, /specification 4\.2/],
  ],
  ['quizId', [/levels\[\]\.quizId/]],
  ['reference', [/idempotency key/, /120/]],
  ['ifInvited', [/ALREADY_INVITED/, /recorded invite/]],
  ['challengeUrl', [/only copy/]],
  ['outcome', [/not-executed/, /unknown/, /executed/, /call again/]],
  ['prior', [/ALREADY_INVITED/, /IN_PROGRESS/]],
  ['retryAfterMs', [/milliseconds/]],
])(
  'hovering over %s shows what a caller must know',
  (word, facts) => {
    const shown = hoverOver(word)
    for (const fact of facts) expect(shown).toMatch(fact)
  },
  30_000,
)
