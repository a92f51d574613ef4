import manifest from '../../package.json' with { type: 'json' }
import { CliError } from '../cli-error.ts'
import { shownAddress, storeOf } from '../config/connection.ts'
import { configFolder } from '../config/paths.ts'
import type { Context, DefineCommand } from '../context.ts'
import { checkLedger } from '../diagnosis/check-ledger.ts'
import { checkNetwork } from '../diagnosis/check-network.ts'
import { type CheckResult, fail, pass, warn } from '../diagnosis/check-result.ts'
import { checkService } from '../diagnosis/check-service.ts'
import { addManual } from '../help/manual.ts'
import { widthOf, wrap } from '../help/wrap.ts'
import type { Stream } from '../io.ts'
import { wordError } from '../terminal/error-wording.ts'
import { maskKey } from '../terminal/mask.ts'
import type { Terminal } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { interrupted } from '../terminal/prompts.ts'
import { fieldColumns } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'Checks the configuration, the ledger and its disk, the network, the key, the clock and the schema of the ' +
        'service. It stops if the next check needs one that failed. It only reads: nothing is created.',
    ],
    output: 'one row a check: pass, warn or fail, what was checked, what was found, how to fix it.',
    json: 'list',
    fields: ['check', 'state', 'found', 'hint'],
    examples: ['certify doctor', 'certify doctor --profile sandbox --json'],
  }).action(async () => {
    const { io, output } = context
    const results: CheckResult[] = []
    for await (const result of runChecks(context)) {
      if (io.interruption.aborted) throw interrupted(io)
      results.push(result)
    }
    await output.data({
      value: results.map(({ exitCode: _exitCode, ...result }) => result),
      columns: fieldColumns<CheckResult>({ STATE: 'state', CHECK: 'check', FOUND: 'found', HINT: 'hint' }),
      rows: results,
      draw: (terminal) => results.map((result) => draw(result, terminal, io.stdout)).join(''),
    })
    const failed = results.filter(({ state }) => state === 'fail')
    const [first] = failed
    if (first === undefined) return
    throw new CliError(
      `${failed.length} of ${results.length} checks failed: ${failed.map(({ check }) => check).join(', ')}.`,
      first.hint ?? 'See the results.',
      { code: 'CHECKS_FAILED', exitCode: first.exitCode ?? 1 },
    )
  })
}

function draw({ state, check, found, hint }: CheckResult, terminal: Terminal, stdout: Stream): string {
  const indent = ' '.repeat(21)
  const wrapped = (text: string) => wrap(indent + printable(text), indent, widthOf(stdout)).trimStart()
  const line = `${state === 'pass' ? state : terminal.bold(state)}  ${check.padEnd(13)}  ${wrapped(found)}\n`
  return hint === undefined ? line : `${line}${indent}${wrapped(hint)}\n`
}

async function* runChecks(context: Context): AsyncGenerator<CheckResult> {
  const { io, connection } = context
  yield pass('version', `certify ${manifest.version} on Node.js ${process.versions.node}`)
  const configured = valueOrError(connection)
  if (configured instanceof CliError) {
    yield fail('configuration', configured.message, configured.hint, configured.exitCode)
    return
  }
  yield pass('configuration', configFolder(io.env))
  const store = storeOf(io)
  if (store.isExposed) yield warn('key file', `${store.credentialsPath} can be read by others`, 'Run chmod 600 on it.')
  yield* checkLedger(context)
  const { profile, baseUrl, apiKey, timeoutMs, deadlineMs } = configured
  yield pass('profile', profile.value === undefined ? 'none' : `${profile.value} (${profile.origin})`)
  const url = baseUrl.value
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) {
    const found = url === undefined ? 'not set' : `no http or https URL (${baseUrl.origin})`
    yield fail('base URL', found, `Run \`certify auth login${context.profileFlag}\`, or give --base-url.`, 2)
    return
  }
  yield pass('base URL', `${shownAddress(url)} (${baseUrl.origin})`)
  let isReached = true
  for await (const result of checkNetwork(url, io, [timeoutMs.value, deadlineMs.value])) {
    if (result.state === 'fail') isReached = false
    yield result
  }
  if (apiKey.value === undefined) {
    yield fail('key', 'none', `Run \`certify auth login${context.profileFlag}\`, or set CERTIFY_API_KEY.`, 4)
    return
  }
  yield pass('key origin', `${maskKey(apiKey.value)} (${apiKey.origin})`)
  const { settle } = await import('../../src/index.ts')
  const { error } = await settle(context.client('check'))
  if (error !== undefined) {
    const { message, hint } = wordError(error, context.profileFlag)
    yield fail('settings', message, hint, 2)
    return
  }
  if (isReached) yield* checkService(context)
}

function valueOrError<T>(read: () => T): T | CliError {
  try {
    return read()
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
}
