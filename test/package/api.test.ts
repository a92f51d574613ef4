import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, inject, test } from 'vitest'

const installed = join(inject('consumer'), 'node_modules/certify-sdk')
const { exports: entries } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
  exports: Record<string, { import: { types: string }; require: { types: string } } | string>
}
const typed = Object.entries(entries).flatMap(([entry, files]) =>
  typeof files === 'string'
    ? []
    : [{ entry: join('certify-sdk', entry), esm: files.import.types, cjs: files.require.types }],
)

test.each(typed)(
  'the public API of $entry is the one on record, by import and by require',
  async ({ entry, ...types }) => {
    const [esm, cjs] = [publicApi(types.esm), publicApi(types.cjs)]
    expect(cjs).toBe(esm)
    const record = join(import.meta.dirname, 'api', `${entry.replaceAll('/', '.')}.d.ts.txt`)
    await expect(esm, 'the public API changed: run `npm run api` and say so in CHANGELOG.md').toMatchFileSnapshot(
      record,
    )
  },
)

/* Every declaration that an entry exports and every one that those refer to, by name, without comments. */
function publicApi(entry: string): string {
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

  const names = new Map(exported.map((symbol) => [meant(symbol), `export ${symbol.name}`]))
  const texts = new Map<ts.Symbol, string>()
  const add = (symbol: ts.Symbol) => {
    const statements = (symbol.declarations ?? []).map(statementOf).filter((statement) => statement !== undefined)
    if (statements.length === 0 || texts.has(symbol)) return
    const printed = statements.map((node) => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()))
    texts.set(symbol, [`// ${names.get(symbol) ?? `internal ${symbol.name}`}`, ...printed].join('\n'))
    statements.forEach(addReferences)
  }
  const addReferences = (node: ts.Node) => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
    if (symbol !== undefined) add(meant(symbol))
    node.forEachChild(addReferences)
  }
  for (const symbol of names.keys()) add(symbol)
  return `${[...texts.values()].toSorted().join('\n\n')}\n`
}

/* What stands at the top of one of the package's own files; members, parameters and other packages' types do not. */
function statementOf(declaration: ts.Declaration): ts.Statement | undefined {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const own = node.getSourceFile().fileName.startsWith(`${installed}/dist/`)
  return own && ts.isSourceFile(node.parent) && ts.isStatement(node) ? node : undefined
}
