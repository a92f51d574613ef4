import { expect, inject, test } from 'vitest'
import { compile } from './consumer.ts'
import { PageReader } from './page-reader.ts'
import { PAGES } from './pages.ts'

const consumer = inject('consumer')
const readers = PAGES.map((page) => ({ page, reader: new PageReader(consumer, page) }))
await Promise.all(readers.map(({ reader }) => reader.saveFiles()))

test('the TypeScript programs of the guides compile in strict mode', () => {
  const files = readers.flatMap(({ reader }) => reader.typed)
  expect(files.length).toBeGreaterThan(10)
  expect(compile(consumer, consumer, files)).toBe('')
})

/* test/bin/skill.test.ts runs the commands of SKILL.md. Programs wait more than they compute: several pages at a time. */
const run = readers.filter(({ page }) => page !== 'skills/certify/SKILL.md')
test.concurrent.for(run)('the programs and commands of $page do what it says', ({ reader }, { onTestFinished }) =>
  reader.read(onTestFinished),
)
