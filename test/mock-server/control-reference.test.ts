import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { documentOf } from './control-document.ts'
import { referenceOf } from './control-reference.ts'

test('docs/control-api.md is up to date: npm run docs regenerates it', async () => {
  const reference = await referenceOf(await documentOf(createMockServer()))
  await expect(reference).toMatchFileSnapshot('../../docs/control-api.md')
})
