import { expect, inject, test } from 'vitest'
import { compile } from './consumer.ts'
import { PageReader } from './page-reader.ts'
import { PAGES } from './pages.ts'

const consumer = inject('consumer')
const readers = PAGES.map((page) => ({ page, reader: new PageReader(consumer, page) }))
await Promise.all(readers.map(({ reader }) => reader.saveFiles()))

/* Parameters have no types in JavaScript. What is quoted from `examples/` compiles in test/queues, with the rest of its program. */
test.each([
  ['TypeScript', 'ts', []],
  ['JavaScript', 'js', ['--noImplicitAny', 'false']],
] as const)('the programs of the guides in %s compile as strict TypeScript', (_name, language, flags) => {
  const files = readers.flatMap(({ reader }) => reader.typed(language))
  expect(files.length).toBeGreaterThan(5)
  expect(compile(consumer, consumer, [...flags, ...files])).toBe('')
})

/* test/bin/skill.test.ts runs the commands of SKILL.md. Programs wait more than they compute: several pages at a time. */
const run = readers.filter(({ page }) => page !== 'skills/certify/SKILL.md')
test.concurrent.for(run)('the programs and commands of $page do what it says', ({ reader }, { onTestFinished }) =>
  reader.read(onTestFinished),
)
