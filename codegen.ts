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
    'mock-server/generated/operation-name.ts': { plugins: [header, './build/codegen-operation-names.mjs'] },
    'bin/generated/documents.ts': { plugins: [header, './build/codegen-documents.mjs'] },
  },
}

export default config
