import manifest from '../../package.json' with { type: 'json' }
import { CliError } from '../cli-error.ts'
import { shownAddress, storeOf } from '../config/connection.ts'
import { configFolder } from '../config/paths.ts'
import type { Context, DefineCommand } from '../context.ts'
import { masked } from '../diagnosis/check-key.ts'
import { checkNetwork } from '../diagnosis/check-network.ts'
import { type Finding, fail, pass } from '../diagnosis/check-result.ts'
import { checkService } from '../diagnosis/check-service.ts'
import { addManual } from '../help/manual.ts'
import { widthOf, wrap } from '../help/wrap.ts'
import type { Stream } from '../io.ts'
import { wordError } from '../terminal/error-wording.ts'
import type { Terminal } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { interrupted } from '../terminal/prompts.ts'
import type { Column } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'Looks at the configuration, the network, the key, the clock and the schema of the service, and stops where the ' +
        'next check could say nothing. It only reads: nothing is created.',
    ],
    output: 'one row a check: pass, warn or fail, what was checked, what was found, what to do.',
    json: 'the list of {"check","state","found","hint"}.',
    fields: ['check', 'state', 'found', 'hint'],
    examples: ['certify doctor', 'certify doctor --profile sandbox --json'],
  }).action(async () => {
    const { io, output } = context
    const results: Finding[] = []
    for await (const finding of examine(context)) {
      if (io.interruption.aborted) throw interrupted(io)
      results.push(finding)
    }
    const failed = results.filter(({ state }) => state === 'fail')
    await output.data({
      value: results.map(({ exitCode: _exitCode, ...finding }) => finding),
      columns,
      rows: results,
      ids: [],
      draw: (terminal) => results.map((finding) => draw(finding, terminal, io.stdout)).join(''),
    })
    const [first] = failed
    if (first === undefined) return
    throw new CliError(
      `${failed.length} of ${results.length} checks failed: ${failed.map(({ check }) => check).join(', ')}.`,
      first.hint ?? 'See what was found.',
      { code: 'CHECKS_FAILED', exitCode: first.exitCode ?? 1 },
    )
  })
}

const columns: readonly Column<Finding>[] = [
  { title: 'STATE', value: ({ state }) => state },
  { title: 'CHECK', value: ({ check }) => check },
  { title: 'FOUND', value: ({ found }) => found },
  { title: 'HINT', value: ({ hint = '' }) => hint },
]

function draw({ state, check, found, hint }: Finding, terminal: Terminal, stdout: Stream): string {
  const indent = ' '.repeat(21)
  const broken = (text: string) => wrap(indent + printable(text), indent, widthOf(stdout)).trimStart()
  const line = `${state === 'pass' ? state : terminal.bold(state)}  ${check.padEnd(13)}  ${broken(found)}\n`
  return hint === undefined ? line : `${line}${indent}${broken(hint)}\n`
}

async function* examine(context: Context): AsyncGenerator<Finding> {
  const { io, connection } = context
  yield pass('version', `certify ${manifest.version} on Node.js ${process.versions.node}`)
  const configured = valueOrError(connection)
  if (configured instanceof CliError) {
    const { message, hint, exitCode } = configured
    yield fail('configuration', message, hint, exitCode)
    return
  }
  yield pass('configuration', configFolder(io.env))
  const store = storeOf(io)
  if (store.isExposed) {
    const found = `${store.credentialsPath} can be read by others`
    yield { check: 'key file', state: 'warn', found, hint: 'Run chmod 600 on it.' }
  }
  const { profile, baseUrl, apiKey, timeoutMs, deadlineMs } = configured
  yield pass('profile', profile.value === undefined ? 'none' : `${profile.value} (${profile.origin})`)
  const url = baseUrl.value
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) {
    const found = url === undefined ? 'not set' : `no http or https URL (${baseUrl.origin})`
    yield fail('base URL', found, 'Run `certify auth login`, or give --base-url.', 2)
    return
  }
  yield pass('base URL', `${shownAddress(url)} (${baseUrl.origin})`)
  const reached: Finding[] = []
  const bounds = { timeoutsMs: [timeoutMs.value, deadlineMs.value], interruption: io.interruption }
  for await (const finding of checkNetwork(url, io.env, io.now, bounds)) {
    reached.push(finding)
    yield finding
  }
  if (apiKey.value === undefined) {
    yield fail('key', 'none', 'Run `certify auth login`, or set CERTIFY_API_KEY.', 4)
    return
  }
  yield pass('key origin', `${masked(apiKey.value)} (${apiKey.origin})`)
  const refusal = await refusalOf(context.client('check'))
  if (refusal !== undefined) {
    yield fail('settings', refusal.message, refusal.hint, 2)
    return
  }
  if (reached.every(({ state }) => state !== 'fail')) yield* checkService(context)
}

/* What a client refuses of the settings, before anything is sent. */
async function refusalOf(client: Promise<unknown>): Promise<{ message: string; hint: string } | undefined> {
  const { settle } = await import('../../src/index.ts')
  const { error } = await settle(client)
  return error === undefined ? undefined : wordError(error)
}

function valueOrError<T>(read: () => T): T | CliError {
  try {
    return read()
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
}
