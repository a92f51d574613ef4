import type { CodegenConfig } from '@graphql-codegen/cli'

const header = {
  add: { content: '// Made by `npm run codegen` from mock-server/schema.graphql and operations/. Do not edit.' },
}

const config: CodegenConfig = {
  schema: 'mock-server/schema.graphql',
  documents: 'operations/*.graphql',
  generates: {
    'src/generated/operations.ts': {
      plugins: [header, 'typescript-operations', 'typed-document-node'],
      config: {
        documentMode: 'string',
        strictScalars: true,
        scalars: { ID: 'string' },
        useTypeImports: true,
        immutableTypes: true,
        inputMaybeValue: 'T | undefined',
      },
    },
    /* The public types: with the descriptions of the schema, which editors show. Enumerations are open in a response. */
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
        enumValues: {
          CertificationLevel: '../operations/open-enums.ts#Level',
          CertificationInviteStatus: '../operations/open-enums.ts#InviteStatus',
        },
      },
    },
    'mock-server/generated/operation-name.ts': { plugins: [header, './build/codegen-operation-names.mjs'] },
    'bin/generated/documents.ts': { plugins: [header, './build/codegen-documents.mjs'] },
  },
}

export default config
