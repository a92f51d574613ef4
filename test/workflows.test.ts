import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
/** The YAML of a workflow file, or of the fenced blocks of a guide. */
function yamlOf(path: string): string {
  const text = read(path)
  if (path.endsWith('.yml')) return text
  return Array.from(text.matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm), ([, block]) => block).join('\n')
}

const { version } = JSON.parse(read('package.json')) as { readonly version: string }
const workflows = ['.github/workflows', 'docs', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(yml|md)$/.test(name) && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`)
    .filter((path) => /^ *- uses: /m.test(yamlOf(path))),
)

test.each(workflows)('%s pins actions to commits, and the package to its version', (path) => {
  const text = yamlOf(path)
  const actions = Array.from(text.matchAll(/^ *- uses: (.*)$/gm), ([, action]) => action)
  for (const action of actions) expect(action).toMatch(/^[\w/-]+@([0-9a-f]{40}|COMMIT) # v\d+\.\d+\.\d+$/)
  // With npm ci, the lock file pins the version.
  const isLocked = text.includes('run: npm ci')
  const started = text.match(/(npx|install --global) certify-sdk\S*/g) ?? []
  expect(started.filter((each) => !isLocked && !each.endsWith(`@${version}`))).toEqual([])
})

test('the GitHub Actions example pins the package to its version', () => {
  const { dependencies } = JSON.parse(read('examples/actions-bulk/package.json')) as { readonly dependencies: object }
  expect(dependencies).toHaveProperty('certify-sdk', version)
})

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

test('the job that can publish runs no package script and builds nothing', () => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as { readonly jobs: Readonly<Record<string, Job>> }
  const publishing = Object.values(jobs).filter(({ permissions }) => permissions?.['id-token'] === 'write')
  expect(publishing).toHaveLength(1)
  const steps = publishing.flatMap((job) => job.steps)
  expect(steps.flatMap(({ run = [] }) => run)).toEqual([
    'npm publish ./certify-sdk-*.tgz --ignore-scripts --provenance --access public',
  ])
  expect(steps.map(({ uses = '' }) => uses.split('@')[0])).not.toContain('actions/checkout')
})
