import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { repository, runIn } from './consumer.ts'

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly { readonly env: Record<string, string>; readonly run: string }[] }
}

const consumer = inject('consumer')
const action = parse(readFileSync(join(repository, 'action.yml'), 'utf8')) as Action

/** Runs the step of the action as a runner does, in a project that has the package installed. */
function use(inputs: Readonly<Record<string, string>>, { cwd = consumer, PATH = process.env['PATH'] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-action-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = { GITHUB_ENV: join(folder, 'env'), GITHUB_OUTPUT: join(folder, 'output') }
  for (const file of Object.values(files)) writeFileSync(file, '')
  const [step, ...others] = action.runs.steps
  expect(others).toEqual([])
  const filled = (text: string): string =>
    text.replaceAll(
      /\$\{\{ inputs\.(\S+) \}\}/g,
      (_all, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '?',
    )
  const env = Object.entries(step?.env ?? {}).map(([name, text]) => [name, filled(text)])
  const { HOME } = process.env
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? ''],
    {
      cwd,
      encoding: 'utf8',
      env: { PATH, HOME, RUNNER_TEMP: folder, GITHUB_ACTION_PATH: repository, ...files, ...Object.fromEntries(env) },
    },
  )
  const outputs = linesOf(files.GITHUB_OUTPUT)
  const pid = Number(outputs['pid'])
  onTestFinished(() => void (pid > 0 && process.kill(-pid)))
  return { status, stdout, stderr, outputs, variables: linesOf(files.GITHUB_ENV) }
}

function linesOf(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return Object.fromEntries(lines.map((line) => [line.replace(/=.*/, ''), line.replace(/^[^=]*=/, '')]))
}

test('the action starts a mock and sets its two variables for later steps', () => {
  const { status, stdout, stderr, outputs, variables } = use({ port: '0' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toBe(`A mock of the certification service listens on ${outputs['url']}.\n`)
  expect(variables).toEqual({ CERTIFY_BASE_URL: outputs['url'], CERTIFY_API_KEY: outputs['api-key'] })
  expect(Object.keys(action.outputs)).toEqual(Object.keys(outputs))
  expect(runIn(consumer, 'node_modules/.bin/certify', ['tracks', 'list'], variables)).toMatchObject({ status: 0 })
})

test('a world without an API key sets no key', () => {
  const world = join(mkdtempSync(join(tmpdir(), 'certify-action-')), 'world.yaml')
  onTestFinished(() => rmSync(dirname(world), { recursive: true, force: true }))
  writeFileSync(world, 'apiKeys: []\n')
  const { status, stderr, outputs, variables } = use({ port: '0', flags: `--world ${world}` })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(variables).toEqual({ CERTIFY_BASE_URL: outputs['url'] })
  expect(Object.keys(outputs)).toEqual(['url', 'pid'])
})

test('flags are passed to certify mock, one per line, with spaces and quotes in a value', () => {
  const flags = '--seed a demo\n\n  --fault {"fault": 503, "times": 1}\n--no-control\n'
  const { variables } = use({ port: '0', flags })
  const create = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email']
  const program = 'node_modules/.bin/certify'
  expect(runIn(consumer, program, [...create, 'ada@example.com'], variables).stderr).toContain('503')
  expect(runIn(consumer, program, [...create, 'grace@example.com'], variables).status).toBe(0)
})

test.each([
  ['', (JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string }).version],
  ['1.2.3', '1.2.3'],
])('without an installed package the action starts a pinned version: %j', (version, started) => {
  const cwd = mkdtempSync(join(tmpdir(), 'certify-action-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(join(cwd, 'npx'), `#!/bin/sh\necho "{\\"url\\":\\"$2\\",\\"apiKeys\\":[]}"\nexec tail -f /dev/null\n`, {
    mode: 0o755,
  })
  const { outputs } = use({ version, port: '0' }, { cwd, PATH: `${cwd}:${process.env['PATH']}` })
  expect(outputs['url']).toBe(`certify-sdk@${started}`)
})

test('a mock that cannot start fails the step with the reason', () => {
  const { status, stderr, variables } = use({ port: '0', flags: '--behaviour pendingInvite=never' })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^The mock did not start\.\n[\s\S]*pendingInvite must be allow, refuse, return-existing/)
  expect(variables).toEqual({})
})
