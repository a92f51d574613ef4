import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  schema: 'mock-server/schema.graphql',
  documents: 'operations/*.graphql',
  generates: {
    'src/generated/operations.ts': {
      plugins: [
        {
          add: {
            content: '// Made by `npm run codegen` from mock-server/schema.graphql and operations/. Do not edit.',
          },
        },
        'typescript-operations',
        'typed-document-node',
      ],
      config: {
        documentMode: 'string',
        strictScalars: true,
        scalars: { ID: 'string' },
        useTypeImports: true,
        immutableTypes: true,
        inputMaybeValue: 'T | undefined',
      },
    },
  },
}

export default config
