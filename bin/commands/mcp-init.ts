import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Argument } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { CliError, systemCode } from '../cli-error.ts'
import type { Context, DefineCommand } from '../context.ts'
import { makeFolder, replaceFile } from '../files.ts'
import { addManual } from '../help.ts'
import { isJsonObject } from '../parsing.ts'
import { escapeControls } from '../terminal/text.ts'

interface Client {
  /** The file, and the field of its servers. */
  readonly path: (env: Context['io']['env']) => string
  readonly field: 'mcpServers' | 'servers'
}

/** Files of the project in this folder, except for Claude Desktop, which has one for the user. */
const CLIENTS: Readonly<Record<string, Client>> = {
  'claude-code': { path: () => '.mcp.json', field: 'mcpServers' },
  'claude-desktop': { path: desktopFile, field: 'mcpServers' },
  cursor: { path: () => join('.cursor', 'mcp.json'), field: 'mcpServers' },
  gemini: { path: () => join('.gemini', 'settings.json'), field: 'mcpServers' },
  vscode: { path: () => join('.vscode', 'mcp.json'), field: 'servers' },
}

export const define: DefineCommand = (command, context) => {
  addManual(command.addArgument(new Argument('<client>', 'the client').choices(Object.keys(CLIENTS))), {
    about:
      'Adds the server to the configuration of a client, and shows the change before. The file gets no key: --profile names ' +
      'the profile that has it.',
    output: 'the path of the file. With --json also the entry.',
    dryRun: 'show the change; write nothing',
    examples: ['certify mcp init claude-code --profile sandbox', 'certify mcp init cursor --dry-run'],
    guide: 'agents.md',
  }).action(async (name: keyof typeof CLIENTS) => {
    const { io, output, preferences, prompts, profileFlag } = context
    const { path: pathOf, field } = CLIENTS[name] as Client
    const path = pathOf(io.env)
    const before = contentOf(path)
    const servers = before[field] ?? {}
    if (!isJsonObject(servers)) throw unusable(path, `its "${field}" is not an object`)
    const profile = profileFlag.split(' ').filter(Boolean)
    const entry = { command: 'npx', args: ['-y', `certify-sdk@${manifest.version}`, 'mcp', ...profile] }
    const added = field === 'servers' ? { type: 'stdio', ...entry } : entry
    const { certify: old, ...others } = servers
    const change = [`${path}: ${field}.certify`, marked('-', old), marked('+', added)].filter(Boolean)
    const asks = !preferences.yes && !preferences.dryRun
    if (asks || !output.json) await output.show(() => `${change.join('\n')}\n`)
    if (asks) await prompts.confirm(`Write ${path}?`, 'Give --yes to write it, or --dry-run to see the change.')
    if (!preferences.dryRun) write(path, { ...before, [field]: { ...others, certify: added } })
    if (output.json) await output.document({ path, [field]: { certify: added } })
    else if (!preferences.dryRun) await output.text(`${path}\n`)
  })
}

function marked(sign: string, value: unknown): string {
  return value === undefined ? '' : escapeControls(JSON.stringify(value, null, 2)).replaceAll(/^/gm, `${sign} `)
}

function write(path: string, content: object): void {
  try {
    makeFolder(dirname(path))
    const { mode = 0o600 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    replaceFile(path, `${JSON.stringify(content, null, 2)}\n`, mode & 0o777)
  } catch (error) {
    throw unusable(path, systemCode(error))
  }
}

function desktopFile(env: Context['io']['env']): string {
  const home = env['HOME'] || homedir()
  const folders: Readonly<Record<string, string>> = {
    darwin: join(home, 'Library', 'Application Support'),
    win32: env['APPDATA'] || join(home, 'AppData', 'Roaming'),
  }
  const folder = folders[process.platform] ?? (env['XDG_CONFIG_HOME'] || join(home, '.config'))
  return join(folder, 'Claude', 'claude_desktop_config.json')
}

/* Comments, which some clients allow, would be lost. */
function contentOf(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {}
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isJsonObject(value)) return value
  } catch {
    /* As below. */
  }
  throw unusable(path, 'it is not JSON without comments')
}

function unusable(path: string, reason: string): CliError {
  return new CliError(
    `the file ${path} cannot be changed: ${reason}. It was left as it is.`,
    'Correct it, or add the server by hand: docs/agents.md shows the entry.',
    { code: 'CONFIG_INVALID' },
  )
}
