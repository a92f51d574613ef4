import type { CodegenConfig } from '@graphql-codegen/cli'
import { contractTypes } from './build/contract-types.ts'

const header = {
  add: { content: '// Made by `npm run codegen` from mock-server/schema.graphql and operations/. Do not edit.' },
}

const config: CodegenConfig = {
  schema: 'mock-server/schema.graphql',
  documents: 'operations/*.graphql',
  generates: {
    'src/generated/operations.ts': {
      plugins: [header, 'typescript-operations', './build/codegen-typed-documents.mjs'],
      config: {
        strictScalars: true,
        scalars: { ID: 'string' },
        useTypeImports: true,
        immutableTypes: true,
        inputMaybeValue: 'T | undefined',
      },
    },
    /* The public types: with the descriptions of the schema, which editors show. */
    'src/generated/schema.ts': {
      plugins: [header, './build/codegen-schema-types.mjs'],
      config: {
        strictScalars: true,
        scalars: { ID: 'string' },
        useTypeImports: true,
        immutableTypes: true,
        skipTypename: true,
        avoidOptionals: { field: true },
        maybeValue: 'T | null',
        inputMaybeValue: 'T | undefined',
        enumsAsTypes: true,
      },
    },
    'mock-server/generated/operations.ts': { plugins: [header, './build/codegen-operation-names.mjs'] },
    /* What a resolver may return: the rows of the world, and the enumerations, nullability and arguments of the schema. */
    'mock-server/generated/resolvers.ts': {
      plugins: [header, { add: { content: '/* oxlint-disable */' } }, 'typescript', 'typescript-resolvers'],
      config: {
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
    },
    /* The public types of the mock: made of the schemas that check them, with their descriptions. */
    'mock-server/generated/contract.ts': {
      plugins: [
        { add: { content: '// Made by `npm run codegen` from mock-server/contract/. Do not edit.' } },
        { add: { content: contractTypes() } },
      ],
    },
  },
}

export default config
