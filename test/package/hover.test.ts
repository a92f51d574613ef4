import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, inject, test } from 'vitest'

/* A user's program as an editor sees it, and the position of the mouse. */
const PROGRAM = `import { CertifyClient, isCertifyError } from 'certify-sdk'
import { openLedger } from 'certify-sdk/ledger'
const ledger = await openLedger('x')
const client = new CertifyClient({ baseUrl: '', apiKey: '', ledger, timeoutMs: 1 })
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

const consumer = inject('consumer')
const file = join(consumer, 'hover.ts')
const installed = join(consumer, 'node_modules/certify-sdk')
const { exports: entries } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
  exports: Record<string, { import: { types: string } } | string>
}
const declarations = Object.values(entries).flatMap((files) =>
  typeof files === 'string' ? [] : [join(installed, files.import.types)],
)

const service = ts.createLanguageService({
  getScriptFileNames: () => [file, ...declarations],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = name === file ? PROGRAM : ts.sys.readFile(name)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => consumer,
  getCompilationSettings: () => ({
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => ts.sys.fileExists(name),
  readFile: (name) => ts.sys.readFile(name),
})
const program = service.getProgram()
if (program === undefined) throw new Error('the language service has no program')
const checker = program.getTypeChecker()

function hoverOver(word: string): string {
  const info = service.getQuickInfoAtPosition(file, PROGRAM.lastIndexOf(word) + 1)
  const tags = (info?.tags ?? []).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`)
  return [ts.displayPartsToString(info?.documentation), ...tags].join('\n')
}

test.each([
  ['openLedger', [/folder/, /@throws/, /not-executed/]],
  ['CertifyClient({', [/CertifyError/, /CONFIG_INVALID/, /not-executed/]],
  ['timeoutMs', [/milliseconds/, /30,000/]],
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
])('hovering over %s shows what a caller must know', (word, facts) => {
  const shown = hoverOver(word)
  for (const fact of facts) expect(shown).toMatch(fact)
})

test('every exported name, and every property and method of every exported type, shows documentation on hover', () => {
  const exported = declarations.flatMap(exportsOf)
  const members = exported.flatMap((symbol) => membersOf(checker.getDeclaredTypeOfSymbol(symbol)))
  const named = [...exported, ...members].map(({ declarations: nodes = [] }) => nodes.filter(isOurs))
  const written = named.flat().flatMap((node) => (ts.isTypeAliasDeclaration(node) ? [] : membersWrittenIn(node)))
  const all = [...named.filter((nodes) => nodes.length > 0), ...written.map((node) => [node])]
  expect(all.length).toBeGreaterThan(500)
  const silent = all.filter((nodes) => !nodes.some(isDocumented))
  expect([...new Set(silent.map(([node]) => node?.getText()))]).toEqual([])
})

function exportsOf(path: string): readonly ts.Symbol[] {
  const source = program?.getSourceFile(path)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${path} exports nothing`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
}

/* Of a union: what its parts share, shown together, and what only some have. */
function membersOf(type: ts.Type): readonly ts.Symbol[] {
  const shared = checker.getPropertiesOfType(type)
  const others = type.isUnion() ? type.types.flatMap((part) => checker.getPropertiesOfType(part)) : []
  return [...shared, ...others.filter(({ name }) => !shared.some((each) => each.name === name))]
}

function membersWrittenIn(node: ts.Node): readonly ts.Declaration[] {
  const inside: ts.Declaration[] = []
  node.forEachChild((child) => {
    if (ts.isPropertySignature(child) || ts.isMethodSignature(child)) inside.push(child)
    inside.push(...membersWrittenIn(child))
  })
  return inside
}

const isOurs = (node: ts.Node) => node.getSourceFile().fileName.startsWith(`${installed}/`)

function isDocumented(node: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(node) ?? node
  const info = service.getQuickInfoAtPosition(node.getSourceFile().fileName, name.getStart())
  return ts.displayPartsToString(info?.documentation) !== ''
}
