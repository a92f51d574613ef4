import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, inject, test } from 'vitest'

/* A change that raises it says what the new names are for. */
const MAX_NAMES = 115

const installed = join(inject('consumer'), 'node_modules/certify-sdk')
const { exports: entries } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
  exports: Record<string, { import: { types: string }; require: { types: string } } | string>
}
const typed = Object.entries(entries).flatMap(([entry, files]) =>
  typeof files === 'string'
    ? []
    : [{ entry: join('certify-sdk', entry), esm: files.import.types, cjs: files.require.types }],
)

const apis = typed.map(({ entry, esm, cjs }) => ({ entry, esm: publicApi(esm), cjs: publicApi(cjs) }))

test('the public API has nine paths and a limited number of names', () => {
  expect(apis).toHaveLength(9)
  expect(new Set(apis.flatMap(({ esm }) => esm.names)).size).toBeLessThanOrEqual(MAX_NAMES)
})

test('the public API matches its record, by import and by require', async () => {
  const record = join(import.meta.dirname, 'api.d.ts.txt')
  for (const { esm, cjs } of apis) expect(cjs).toEqual(esm)
  const lists = apis.map(({ entry, esm }) => `// ${entry}\n${esm.names.map((name) => `//   ${name}\n`).join('')}`)
  const declarations = [...new Set(apis.flatMap(({ esm }) => esm.declarations))].toSorted()
  await expect(
    [...lists, ...declarations].join('\n\n').replace(/\n*$/, '\n'),
    'the public API changed: run `npm run api` and say so in CHANGELOG.md',
  ).toMatchFileSnapshot(record)
})

/* The exports of an entry and all declarations that they refer to, without comments. */
function publicApi(entry: string): { names: string[]; declarations: string[] } {
  const program = ts.createProgram([join(installed, entry)], {
    noLib: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  })
  const checker = program.getTypeChecker()
  const printer = ts.createPrinter({ removeComments: true })
  const source = program.getSourceFile(join(installed, entry))
  const module = source && checker.getSymbolAtLocation(source)
  const exported = module === undefined ? [] : checker.getExportsOfModule(module)
  const meant = (symbol: ts.Symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)

  const texts = new Map<ts.Symbol, string>()
  const add = (symbol: ts.Symbol) => {
    const statements = (symbol.declarations ?? []).map(statementOf).filter((statement) => statement !== undefined)
    if (statements.length === 0 || texts.has(symbol)) return
    const printed = statements.map((node) => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()))
    texts.set(symbol, printed.join('\n'))
    statements.forEach(addReferences)
  }
  const addReferences = (node: ts.Node) => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
    if (symbol !== undefined) add(meant(symbol))
    node.forEachChild(addReferences)
  }
  for (const symbol of exported) add(meant(symbol))
  return { names: exported.map(({ name }) => name).toSorted(), declarations: [...texts.values()] }
}

/* The top-level statement of a declaration in the package's own files; undefined for members, parameters and types of
   other packages. */
function statementOf(declaration: ts.Declaration): ts.Statement | undefined {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const own = node.getSourceFile().fileName.startsWith(`${installed}/dist/`)
  return own && ts.isSourceFile(node.parent) && ts.isStatement(node) ? node : undefined
}
