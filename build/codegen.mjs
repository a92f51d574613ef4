// Writes what is generated from the schema and the operations, or with --check only tells what is not up to date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { codegen } from '@graphql-codegen/core'
import * as typedDocumentNode from '@graphql-codegen/typed-document-node'
import * as typescript from '@graphql-codegen/typescript'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers'
import { buildASTSchema, parse, print } from 'graphql'
import { rolldown } from 'rolldown'

const schema = parse(readFileSync('mock-server/schema.graphql', 'utf8'))
const documents = readdirSync('operations').map((name) => {
  const location = `operations/${name}`
  return { location, document: parse(readFileSync(location, 'utf8')) }
})
const types = {
  strictScalars: true,
  scalars: { ID: 'string' },
  useTypeImports: true,
  immutableTypes: true,
  inputMaybeValue: 'T | undefined',
}

const files = {
  'src/generated/operations.ts': await generated(
    { typescriptOperations, typedDocumentNode },
    { ...types, documentMode: 'string' },
  ),
  /* The public types: with the descriptions of the schema, which editors show. Enumerations are open in a response. */
  'src/generated/schema.ts': withTypeExports(
    await generated(
      { typescript },
      {
        ...types,
        skipTypename: true,
        avoidOptionals: { field: true },
        maybeValue: 'T | null',
        enumValues: {
          CertificationLevel: '../operations/open-enums.ts#Level',
          CertificationInviteStatus: '../operations/open-enums.ts#InviteStatus',
        },
      },
    ),
  ),
  'mock-server/generated/operations.ts': operationNames(),
  /* What a resolver may return: the rows of the world, and the enumerations, nullability and arguments of the schema. */
  'mock-server/generated/resolvers.ts': `/* oxlint-disable */\n${await generated(
    { typescript, typescriptResolvers },
    {
      strictScalars: true,
      scalars: { ID: 'string' },
      useTypeImports: true,
      immutableTypes: true,
      skipTypename: true,
      enumsAsTypes: true,
      contextType: '../api/exchange.ts#Context',
      /* The operations are the root value: they have no parent, and return at once. */
      customResolverFn: '(args: TArgs, context: TContext, parent?: TParent) => TResult',
      resolverTypeWrapperSignature: 'T',
    },
  )}`,
  /* The public types of the mock: made of the schemas that check them, with their descriptions. */
  'mock-server/generated/contract.ts': await contractTypes(),
  'bin/generated/documents.ts': `export const documents: readonly string[] = ${JSON.stringify(
    documents.map(({ document }) => print(document)),
    undefined,
    2,
  )}\n`,
}

for (const [file, content] of Object.entries(files)) {
  const text = `// Made by \`npm run codegen\` from mock-server/schema.graphql, operations/ and mock-server/contract/. Do not edit.\n${content}`
  if (!argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not what the schema and the operations give: run \`npm run codegen\``)
    process.exitCode = 1
  }
}

/** @param {Record<string, import('@graphql-codegen/plugin-helpers').CodegenPlugin>} pluginMap @param {object} config */
async function generated(pluginMap, config) {
  const plugins = Object.keys(pluginMap).map((name) => ({ [name]: {} }))
  return codegen({ filename: 'generated.ts', schema, documents, plugins, pluginMap, config })
}

/** The plugin writes `export { … }` for what comes from another file; it is a type. @param {string} text */
function withTypeExports(text) {
  return text.replace(/^export \{ (\w+) \};$/gm, 'export type { $1 };')
}

function operationNames() {
  const built = buildASTSchema(schema)
  const names = [built.getQueryType(), built.getMutationType()].flatMap((type) => Object.keys(type?.getFields() ?? {}))
  return `/** The names of the operations of the service. */
export const OPERATIONS = [
${names.map((name) => `  '${name}',\n`).join('')}] as const

/** The name of an operation of the service. */
export type OperationName = (typeof OPERATIONS)[number]
`
}

/** The contract of the mock is TypeScript: it is bundled before it runs. @returns {Promise<string>} */
async function contractTypes() {
  const bundle = await rolldown({ input: 'build/contract-types.ts', platform: 'node' })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  /** @type {{ contractTypes: () => string }} */
  const made = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
  return made.contractTypes()
}
