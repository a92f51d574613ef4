import manifest from '../../package.json' with { type: 'json' }
import { CliError } from '../cli-error.ts'
import { type Connection, readService, shownAddress, storeOf } from '../config/connection.ts'
import { configFolder } from '../config/store.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { Context, DefineCommand } from '../context.ts'
import { checkLedger, type CheckResult, checkService, fail, keyText, pass, warn } from '../diagnosis.ts'
import { addManual } from '../help.ts'
import type { Stream } from '../io.ts'
import { printable, widthOf, wrap } from '../terminal/text.ts'
import type { Terminal } from '../terminal/output.ts'
import { interrupted } from '../terminal/prompts.ts'
import { fieldColumns } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerOptions(command), {
    about: 'Shows each setting and where it comes from, then checks the ledger, the key and the clock. It only reads.',
    output: 'one row per check.',
    columns,
    advancedOptions: '--account',
    examples: ['certify doctor', 'certify doctor --profile sandbox --json'],
    guide: 'production.md',
  }).action(async () => {
    const { io, output } = context
    const results: CheckResult[] = []
    for await (const result of runChecks(context)) {
      if (io.interruption.aborted) throw interrupted(io)
      results.push(result)
    }
    await output.data({
      value: results.map(({ exitCode: _exitCode, ...result }) => result),
      columns,
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

const columns = fieldColumns<CheckResult>(['state', 'check', 'found', 'hint'], {
  STATE: 'state (pass, warn or fail)',
  HINT: 'how to fix it',
})

function draw({ state, check, found, hint }: CheckResult, terminal: Terminal, stdout: Stream): string {
  const indent = ' '.repeat(21)
  const wrapped = (text: string) => wrap(indent + printable(text), indent, widthOf(stdout)).trimStart()
  const line = `${state === 'pass' ? state : terminal.bold(state)}  ${check.padEnd(13)}  ${wrapped(found)}\n`
  return hint === undefined ? line : `${line}${indent}${wrapped(hint)}\n`
}

async function* runChecks(context: Context): AsyncGenerator<CheckResult> {
  const { io, connection } = context
  yield pass('version', `certify ${manifest.version} on Node.js ${process.versions.node}`)
  let configured: Connection
  try {
    configured = connection()
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    yield fail('configuration', error.message, error.hint, error.exitCode)
    return
  }
  yield pass('configuration', configFolder(io.env) ?? 'only the environment: this user has no home folder')
  const store = storeOf(io)
  if (store.isExposed) yield warn('key file', `${store.credentialsPath} can be read by others`, 'Run chmod 600 on it.')
  yield* settings(context, configured)
  yield* checkLedger(context)
  const { baseUrl, authentication } = configured
  const url = baseUrl.value
  const login = `\`certify auth login${context.profileFlag}\``
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) {
    const found = url === undefined ? 'not set' : `not an http or https URL (${baseUrl.origin})`
    yield fail('base URL', found, `Run ${login}, or give --base-url.`, 2)
    return
  }
  yield pass('base URL', `${shownAddress(url)} (${baseUrl.origin})`)
  if (authentication.value === undefined) {
    yield fail('key', 'none', `Run ${login}, or set CERTIFY_API_KEY.`, 4)
    return
  }
  yield pass('key origin', `${keyText(authentication.value)} (${authentication.origin})`)
  const { environmentProxy } = await import('../../src/node/index.ts')
  const proxy = await environmentProxy(url)
  if (proxy?.problem !== undefined) {
    const hint = `Write ${proxy.variable} as http://host:port, or unset it.`
    yield fail('proxy', `${proxy.variable} cannot be used (${proxy.problem})`, hint, 7)
    return
  }
  yield pass('proxy', proxy === undefined ? 'none' : `${new URL(proxy.url).host}, from ${proxy.variable}`)
  yield* checkService(context)
}

/* Settings other than the service. */
function* settings({ io, program }: Context, { profile }: Connection): Generator<CheckResult> {
  yield pass('profile', profile.value === undefined ? 'none' : `${profile.value} (${profile.origin})`)
  const { callbackBaseUrl } = readService(io, program.root).stored
  if (callbackBaseUrl !== undefined) yield pass('callbacks', callbackBaseUrl)
}
