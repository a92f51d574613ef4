import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { createRunner, invite, packageInvite } from './run.ts'

test.each([
  ['CLAUDECODE', 'for a quiz', invite],
  ['AI_AGENT', 'for a quiz with --json', [...invite, '--json']],
  ['CLAUDECODE', 'for a package with --json', [...packageInvite, '--json']],
])('in a shell with %s a create %s is the same, and its links are masked', async (name, _what, argv) => {
  const { certify, mock } = createRunner()
  const { code, stdout, stderr } = await certify(argv, { env: { [name]: '1' } })
  expect(code).toBe(0)
  expect(mock.invites.length).toBeGreaterThan(0)
  for (const { challengeUrl, inviteId } of mock.invites) {
    expect(stdout).toContain(inviteId)
    expect(stdout + stderr).not.toContain(challengeUrl)
  }
})

test.each([
  ['--show-links stands in the command', ['--show-links'], { AI_AGENT: '1' }],
  ['no agent drives the shell', [], { AI_AGENT: '0' }],
  ['the ledger keeps nothing, so this is the only copy', ['--ledger', ':memory:'], { AI_AGENT: '1' }],
])('links are shown if %s', async (_what, flags, env) => {
  const { certify, mock } = createRunner()
  const { stdout } = await certify([...invite, ...flags], { env })
  expect(stdout).toContain(mock.invites[0]?.challengeUrl)
})

/** A folder of a project, in which `certify mcp init` runs. */
function createProject() {
  const runner = createRunner()
  const before = process.cwd()
  process.chdir(runner.home.folder)
  onTestFinished(() => process.chdir(before))
  const read = (path: string) => JSON.parse(readFileSync(join(runner.home.folder, path), 'utf8')) as unknown
  return { ...runner, read }
}

const entry = { command: 'npx', args: ['-y', `certify-sdk@${manifest.version}`, 'mcp', '--profile', 'sandbox'] }

test.each([
  ['claude-code', '.mcp.json', { mcpServers: { certify: entry } }],
  ['cursor', '.cursor/mcp.json', { mcpServers: { certify: entry } }],
  ['gemini', '.gemini/settings.json', { mcpServers: { certify: entry } }],
  ['vscode', '.vscode/mcp.json', { servers: { certify: { type: 'stdio', ...entry } } }],
])('mcp init %s shows the change, asks, and writes %s', async (client, path, written) => {
  const { certify, read } = createProject()
  const argv = ['mcp', 'init', client, '--profile', 'sandbox']
  const world = { terminal: 100, env: { NO_COLOR: '1' } }
  expect((await certify(argv, { ...world, answers: ['n'] })).code).toBe(2)
  expect(() => read(path)).toThrow('ENOENT')
  const { code, stderr } = await certify(argv, { ...world, answers: ['y'] })
  expect([code, read(path)]).toEqual([0, written])
  expect(stderr).toContain(`+     "certify-sdk@${manifest.version}"`)
})

test('the entry in the guide names the version of this package, too', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')).toContain(
    JSON.stringify(entry.args[1]),
  )
})

test('mcp init keeps what the file has, and leaves a file alone that it cannot read', async () => {
  const { certify, read, home } = createProject()
  mkdirSync('.cursor')
  writeFileSync('.cursor/mcp.json', JSON.stringify({ inputs: [], mcpServers: { other: { url: 'x' }, certify: {} } }))
  await certify(['mcp', 'init', 'cursor', '--profile', 'sandbox', '--yes'])
  expect(read('.cursor/mcp.json')).toEqual({ inputs: [], mcpServers: { other: { url: 'x' }, certify: entry } })
  writeFileSync('.mcp.json', '{ // mine\n}')
  expect((await certify(['mcp', 'init', 'claude-code', '--yes'])).code).toBe(2)
  expect(readFileSync('.mcp.json', 'utf8')).toBe('{ // mine\n}')
  const env = { HOME: home.folder, XDG_CONFIG_HOME: home.folder, APPDATA: home.folder }
  expect((await certify(['mcp', 'init', 'claude-desktop', '--yes'], { env })).stdout).toContain(home.folder)
})

test('mcp init keeps the mode of a file of the project, and prints no control characters that it has', async () => {
  const { certify } = createProject()
  const certifyBefore = { command: 'x\u009b2J\u009d0;t\u202e\u001b[2J\u2028' }
  writeFileSync('.mcp.json', JSON.stringify({ mcpServers: { certify: certifyBefore } }))
  chmodSync('.mcp.json', 0o664)
  const { stderr } = await certify(['mcp', 'init', 'claude-code', '--yes'])
  expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u)
  expect(statSync('.mcp.json').mode & 0o777).toBe(0o664)
})
