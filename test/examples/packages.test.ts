import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../package/consumer.ts'
import { NOT_INSTALLED, packageOf } from './run-example.ts'

const semver = createRequire(import.meta.url)('semver') as {
  readonly satisfies: (version: string, range: string) => boolean
}

const folders = readdirSync(join(repository, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const packages = folders.filter((name) => existsSync(join(repository, 'examples', name, 'package.json')))

/* The exact versions that the tests run. */
const installed: Record<string, string> = { 'certify-sdk': versionOf('package.json') }
for (const each of ['package.json', 'test/queues/package.json', 'test/examples/package.json']) {
  Object.assign(installed, read(each).devDependencies)
}

test.each(packages)('examples/%s is tested with versions that its package.json allows', (name) => {
  const { dependencies = {}, devDependencies = {} } = packageOf(name)
  for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    if (NOT_INSTALLED.includes(dependency)) continue
    const version = installed[dependency] ?? 'not installed'
    expect(`${dependency} ${version} in ${range}: ${semver.satisfies(version, range)}`).toMatch(/: true$/)
  }
})

function versionOf(path: string): string {
  return read(path).version ?? ''
}

function read(path: string) {
  return JSON.parse(readFileSync(join(repository, path), 'utf8')) as {
    readonly version?: string
    readonly devDependencies?: Readonly<Record<string, string>>
  }
}
