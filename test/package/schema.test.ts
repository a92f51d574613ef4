import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildSchema, parse, validate } from 'graphql'
import { expect, inject, test } from 'vitest'
import { runIn } from './consumer.ts'

const consumer = inject('consumer')

/** What a document does wrong, by the schema in the installed package. */
function complaints(document: string): readonly string[] {
  const path = createRequire(join(consumer, 'index.js')).resolve('certify-sdk/schema.graphql')
  return validate(buildSchema(readFileSync(path, 'utf8')), parse(document)).map(({ message }) => message)
}

test('users check their documents with the schema in the package', () => {
  expect(complaints('{ developerCertificationPackageTracks(search: "react") { slug } }')).toEqual([])
  expect(complaints('{ developerCertificationPackageTracks { slugs } }')).toEqual([
    'Cannot query field "slugs" on type "CertificationPackageTrack". Did you mean "slug"?',
  ])
})

test('certify schema prints the schema in the package', () => {
  const { stdout, stderr, status } = runIn(consumer, 'node_modules/.bin/certify', ['schema'])
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  expect(stdout).toBe(readFileSync(join(consumer, 'node_modules/certify-sdk/dist/schema.graphql'), 'utf8'))
})
