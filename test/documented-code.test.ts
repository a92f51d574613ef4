import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/* How many blocks a page has, and the test that runs or compiles them; or why nothing does. */
type Row = readonly [blocks: number, testFile: string] | readonly [blocks: number, testFile: undefined, why: string]
type Languages = Readonly<Partial<Record<'sh' | 'ts' | 'js', Row>>>

const queues = (blocks: number): Languages => ({ sh: [blocks, 'test/queues/queues.test.ts'] })
const framework: Languages = { sh: [2, 'test/examples/readmes.test.ts'] }
const recipe = (blocks: number, name: string): Languages => ({
  sh: [blocks, undefined, `they name hosts of yours; test/examples/${name}.test.ts starts the same program`],
})

/*
 * Every page with code for people. A block that is added changes a number here: whoever adds it makes sure that a test
 * runs it. Commands that no test runs are at least commands that exist, with flags that exist: see the last test.
 * The README has a test of its own, which knows each of its blocks.
 */
const PAGES: Readonly<Record<string, Languages>> = {
  'SKILL.md': { sh: [5, 'test/bin/skill.test.ts'] },
  'docs/callbacks.md': { sh: [1, 'test/package/callbacks.test.ts'], ts: [6, 'test/package/callbacks.test.ts'] },
  'docs/client-options.md': { ts: [11, 'test/package/client-options.test.ts'] },
  'docs/command-line.md': { sh: [8, 'test/package/guide-command-line.test.ts'] },
  'docs/end-to-end.md': {
    sh: [1, undefined, 'it needs Playwright with its browsers; the recipe below it runs in a browser'],
    ts: [1, 'test/browser/recipes.test.ts'],
    js: [1, 'test/browser/recipes.test.ts'],
  },
  'docs/errors.md': { ts: [1, 'test/package/guides.test.ts'] },
  'docs/exploration.md': { sh: [1, undefined, 'it runs for hours; the short form is a part of CI'] },
  'docs/getting-started.md': {
    sh: [4, 'test/package/getting-started.test.ts'],
    js: [3, 'test/package/getting-started.test.ts'],
  },
  'docs/inviting.md': { ts: [3, 'test/package/guides.test.ts'] },
  'docs/ledger.md': {
    sh: [2, undefined, 'they need references of a real ledger, and sqlite3; test/bin/resolve.test.ts runs the command'],
    ts: [4, 'test/package/guides.test.ts'],
  },
  'docs/mock-control.md': { sh: [52, 'test/mock-server/control-docs.test.ts'] },
  'docs/networking.md': { ts: [2, 'test/package/networking.test.ts'] },
  'docs/pipelines.md': {
    sh: [3, undefined, 'they need Docker, or an hour; test/container and test/runtimes build the same'],
  },
  'docs/postgres.md': {
    sh: [1, undefined, 'it needs a database and a ledger in a file; test/postgres runs the command'],
    ts: [2, 'test/package/guides.test.ts'],
  },
  'docs/queues.md': { sh: [1, 'test/queues/queues.test.ts'], js: [3, 'test/queues/queues.test.ts'] },
  'docs/sandbox.md': {
    sh: [2, undefined, 'they listen until they are stopped; test/bin/mock-world.test.ts runs them'],
  },
  'docs/security.md': { sh: [1, 'test/package/guides.test.ts'] },
  'docs/testing.md': {
    sh: [1, 'test/package/guide-testing.test.ts'],
    ts: [8, 'test/package/guide-testing.test.ts'],
    js: [1, 'test/package/guide-testing.test.ts'],
  },
  'docs/unknown-outcomes.md': { sh: [2, 'test/package/guides.test.ts'], ts: [3, 'test/package/guides.test.ts'] },
  'examples/ats-adapter/README.md': recipe(1, 'ats-adapter'),
  'examples/bullmq/README.md': queues(3),
  'examples/cloudflare-worker/README.md': {
    sh: [3, undefined, 'they need wrangler; test/examples/cloudflare-worker.test.ts runs the Worker'],
  },
  'examples/express/README.md': framework,
  'examples/fastify/README.md': framework,
  'examples/hono/README.md': framework,
  'examples/lms-nightly/README.md': recipe(1, 'lms-nightly'),
  'examples/nestjs/README.md': framework,
  'examples/nextjs/README.md': framework,
  'examples/opentelemetry/README.md': {
    ...recipe(1, 'opentelemetry'),
    js: [1, undefined, 'it is a line of the program that test/examples/opentelemetry.test.ts runs'],
  },
  'examples/pg-boss/README.md': queues(4),
  'examples/playwright/README.md': recipe(2, 'playwright'),
  'examples/pytest/README.md': recipe(1, 'pytest'),
  'examples/tenants/README.md': recipe(2, 'tenants'),
}

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = ['SKILL.md', ...markdownBelow('docs'), ...markdownBelow('examples')]
const readable = (path: string): string | undefined => (existsSync(join(root, path)) ? path : undefined)
const isErrorPage = (page: string): boolean => page.startsWith('docs/errors/')

test('every block of code of every page is known to a test, or has a reason why none runs it', () => {
  const found = pages
    .filter((page) => !isErrorPage(page))
    .map((page) => [page, countsOf(page)] as const)
    .filter(([, counts]) => Object.keys(counts).length > 0)
  const known = Object.entries(PAGES).map(([page, languages]) => [
    page,
    Object.fromEntries(Object.entries(languages).map(([language, [blocks]]) => [language, blocks])),
  ])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known))
})

test('the test that a page is said to have exists and reads it, and a reason names no test that does not exist', () => {
  for (const [page, languages] of Object.entries(PAGES)) {
    for (const [, file, why = ''] of Object.values(languages)) {
      for (const named of why.match(/test\/[\w/-]+(?:\.test\.ts)?/g) ?? []) expect(readable(named)).toBe(named)
      if (file === undefined) continue
      /* The test of an example names its folder. */
      const name = page.startsWith('examples/') ? (page.split('/')[1] ?? '') : page
      expect({ page, file, names: read(file).includes(name) }).toEqual({ page, file, names: true })
    }
  }
})

test('each page of an error has one program, and one command unless only a person can cause the error', () => {
  const counts = pages.filter(isErrorPage).map((page) => [page, countsOf(page)] as const)
  expect(counts.length).toBeGreaterThan(20)
  for (const [page, count] of counts) {
    expect({ page, count }).toEqual({ page, count: page.includes('ABORTED') ? { ts: 1 } : { ts: 1, sh: 1 } })
  }
})

test('every command in a block of a page exists, with every flag that it is given', () => {
  const sections = read('docs/cli.md').split(/^## /m)
  const textOf = (title: string) => sections.find((section) => section.startsWith(`${title}\n`))
  const common = textOf('Common flags') ?? ''
  const wrong: string[] = []
  let checked = 0
  for (const page of [...pages, 'README.md']) {
    for (const line of commandsIn(page)) {
      const words = line.split(/\s+/)
      const named = words.slice(0, 2).join(' ')
      const section = [`certify ${named}`, `certify ${words[0]}`].map(textOf).find((text) => text !== undefined)
      const own = line.split(' -- ', 1)[0] ?? ''
      const flags = [...own.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([flag]) => flag)
      const unknown = flags.filter((flag) => !`${section}${common}`.includes(flag))
      checked += 1
      if (section === undefined || unknown.length > 0) wrong.push(`${page}: certify ${line}`)
    }
  }
  expect(wrong).toEqual([])
  expect(checked).toBeGreaterThan(80)
})

/* What follows `certify`, up to the end of the command. */
function commandsIn(page: string): readonly string[] {
  const blocks = [...read(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  const commands = blocks
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/'[^']*'|"[^"]*"/g, 'text')
  const called = /(?:^|npx |-- +|[|&;(] *)(?:node_modules\/\.bin\/)?certify(?:-sdk)? +([^|;&>#)\n]+)/gm
  return [...commands.matchAll(called)].map(([, line = '']) => line.trim())
}

function countsOf(page: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [, language = ''] of read(page).matchAll(/^```(sh|ts|js)\b.*$/gm)) {
    counts[language] = (counts[language] ?? 0) + 1
  }
  return counts
}

function markdownBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`)
    .toSorted()
}
