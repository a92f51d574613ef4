import type { SettledEvent } from '../../src/index.ts'
import { CliError, systemCode } from '../cli-error.ts'
import type { Context, DefineCommand } from '../context.ts'
import { once, RepeatedOption } from '../flags.ts'
import { addManual } from '../help/manual.ts'

interface Flags {
  readonly rawField?: readonly string[]
  readonly field?: readonly string[]
  readonly variables?: string
  readonly include?: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'The document is one operation: as an argument, from a file with @file, or from stdin with -. A document that ' +
        'holds a mutation is never sent twice once it may have arrived.',
      'Values in a shell that mangles quotes (PowerShell): use @file, or -f and -F.',
    ],
    output:
      'the data of the answer as one JSON document; with --include {"status","requestId","reference","attempts",' +
      '"durationMs","data"}.',
    writes: true,
    examples: [
      "certify api '{ developerCertificationPackageTracks { slug } }'",
      'certify api @tracks.graphql -f search=react',
      'certify api - --variables @variables.json < mutation.graphql',
    ],
  })
    .argument('<document>', 'the GraphQL document, @file, or - for stdin')
    .addOption(new RepeatedOption('-f, --raw-field <name=value>', 'a variable that is a text'))
    .addOption(
      new RepeatedOption('-F, --field <name=value>', 'a variable: true, false, null, a number, @file, else a text'),
    )
    .option('--variables <file>', 'all variables, as a JSON object: from @file, or - for stdin', once)
    .option('--include', 'print the HTTP status and what names the request as well')
    .action(async (given: string, { rawField = [], field = [], variables, include = false }: Flags) => {
      const { io, output, client } = context
      if (given === '-' && variables === '-') throw stdinTwice()
      const document = given === '-' || given.startsWith('@') ? await readSource(context, given) : given
      const named = [...rawField.map((each) => pair(each)), ...field.map((each) => typed(context, pair(each)))]
      const all = {
        ...(variables !== undefined && (await readVariables(context, variables))),
        ...Object.fromEntries(named),
      }
      const settled: SettledEvent[] = []
      const api = await client('write', { hooks: { onSettled: (event) => void settled.push(event) } })
      const data = await api.request(document, all, { signal: io.interruption })
      const [event] = settled
      const { status, requestId, reference, attempts, durationMs } = event ?? {}
      const value = include ? { status, requestId, reference, attempts, durationMs, data } : data
      /* What a mutation answers may be the only copy of a link. The word is enough to be careful. */
      await output.document(value, /\bmutation\b/.test(document) ? 'only-copy' : 'can-be-fetched-again')
    })
}

function pair(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([_A-Za-z]\w*)=([\s\S]*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  const lacks = /^[_A-Za-z]\w*$/.test(text) ? '=value' : 'name'
  throw new CliError(`a variable has no ${lacks}.`, 'Write -f name=value, with a name of GraphQL.')
}

function typed({ io }: Context, [name, text]: readonly [string, string]): readonly [string, unknown] {
  if (text.startsWith('@')) return [name, readFile(io.readFile, text.slice(1))]
  const isLiteral = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/.test(text)
  const value = isLiteral ? (JSON.parse(text) as unknown) : text
  if (
    typeof value !== 'number' ||
    (Number.isFinite(value) && Number.isInteger(value) === Number.isSafeInteger(value))
  ) {
    return [name, value]
  }
  throw new CliError(
    `the number of the variable ${name} is too large to be sent as it is.`,
    `Send it as a text: -f ${name}=…`,
  )
}

async function readVariables(context: Context, source: string): Promise<Readonly<Record<string, unknown>>> {
  if (source !== '-' && !source.startsWith('@')) {
    /* Not repeated: the variables themselves may stand there. */
    throw new CliError('--variables names no file.', 'Give --variables @file, or - for stdin.')
  }
  const text = await readSource(context, source)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    /* What it holds stays out of the message: it may be about a person. */
  }
  throw new CliError('--variables holds no JSON object.', 'Give a file with one, as in {"search":"react"}.')
}

function readSource({ io }: Context, source: string): Promise<string> | string {
  if (source !== '-') return readFile(io.readFile, source.replace(/^@/, ''))
  if (!io.stdin.isTTY) return io.stdin.text()
  throw new CliError('stdin is a terminal.', 'Pipe the document in, or name a file with @file.')
}

function readFile(read: (path: string) => string, path: string): string {
  try {
    return read(path)
  } catch (error) {
    const reason = systemCode(error)
    throw new CliError(`the file ${path} cannot be read (${reason}).`, 'Check its path.')
  }
}

function stdinTwice(): CliError {
  return new CliError(
    'the document and the variables cannot both come from stdin.',
    'Put one of them into a file, and name it with @file.',
  )
}
