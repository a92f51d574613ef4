import type { SettledEvent } from '../../src/index.ts'
import { CliError } from '../cli-error.ts'
import type { Context, DefineCommand } from '../context.ts'
import { once, RepeatedOption } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { isJsonObject } from '../json-object.ts'
import { readTextFile } from '../read-file.ts'

interface Flags {
  readonly rawField?: readonly string[]
  readonly field?: readonly string[]
  readonly variables?: string
  readonly include?: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'The document is one operation: as an argument, from a file with @file, or from stdin with -. A document with a ' +
        'mutation is never sent twice once the service may have executed it.',
      'It uses no ledger, whatever is set: a create by it is not recorded, and refused for nobody who was invited already.',
      'Values in a shell that changes quotes (PowerShell): use @file, or -f and -F.',
    ],
    output:
      'the data of the response as one JSON document; with --include {"status","requestId","reference","attempts",' +
      '"durationMs","data"}.',
    json: 'the same.',
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
    .option('--include', 'print also the HTTP status and the identifiers of the request')
    .action(async (source: string, { rawField = [], field = [], variables, include = false }: Flags) => {
      const { io, output, client } = context
      if (source === '-' && variables === '-') {
        const hint = 'Put one of them into a file, and name it with @file.'
        throw new CliError('the document and the variables cannot both come from stdin.', hint)
      }
      const document = source === '-' || source.startsWith('@') ? await readSource(context, source) : source
      /* The word is enough to be careful: the response of a mutation may have the only copy of a link. */
      const mayCreate = /\bmutation\b/.test(document)
      if (mayCreate && context.preferences.jq.value !== undefined) {
        const message = 'with a mutation, a filter could leave out the only copy of what it creates. Nothing was sent.'
        throw new CliError(message, 'Give --json in place of --jq.')
      }
      const fields = [...rawField.map((each) => pair(each)), ...field.map((each) => typed(context, pair(each)))]
      const all = {
        ...(variables !== undefined && (await readVariables(context, variables))),
        ...Object.fromEntries(fields),
      }
      let event: SettledEvent | undefined
      const onSettled = (settled: SettledEvent) => {
        event ??= settled
      }
      const api = await client('write', { hooks: { onSettled } })
      const data = await api.request(document, all, { signal: io.interruption })
      const value = include ? { ...identifiersOf(event), data } : data
      await output.document(value, mayCreate ? 'only-copy' : 'can-be-fetched-again')
    })
}

function identifiersOf(event: SettledEvent | undefined) {
  const { status, requestId, reference, attempts, durationMs } = event ?? {}
  return { status, requestId, reference, attempts, durationMs }
}

function pair(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([_A-Za-z]\w*)=([\s\S]*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  const lacks = /^[_A-Za-z]\w*$/.test(text) ? '=value' : 'name'
  throw new CliError(`a variable has no ${lacks}.`, 'Write -f name=value, with a name of GraphQL.')
}

function typed({ io }: Context, [name, text]: readonly [string, string]): readonly [string, unknown] {
  if (text.startsWith('@')) return [name, readTextFile(io, text.slice(1), unreadable(text.slice(1)))]
  const isLiteral = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/.test(text)
  const value = isLiteral ? (JSON.parse(text) as unknown) : text
  const isExact =
    typeof value !== 'number' || (Number.isFinite(value) && Number.isInteger(value) === Number.isSafeInteger(value))
  if (isExact) return [name, value]
  throw new CliError(
    `the number of the variable ${name} is too large to be sent exactly.`,
    `Send it as a text: -f ${name}=…`,
  )
}

async function readVariables(context: Context, source: string): Promise<Readonly<Record<string, unknown>>> {
  if (source !== '-' && !source.startsWith('@')) {
    /* Not repeated: it may be the variables themselves. */
    throw new CliError('--variables names no file.', 'Give --variables @file, or - for stdin.')
  }
  const text = await readSource(context, source)
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    /* The content stays out of the message: it may be personal data. */
  }
  throw new CliError('--variables is not a JSON object.', 'Give a file with one, as in {"search":"react"}.')
}

async function readSource({ io }: Context, source: string): Promise<string> {
  const path = source.replace(/^@/, '')
  if (source !== '-') return readTextFile(io, path, unreadable(path))
  if (!io.stdin.isTTY) return io.stdin.text()
  throw new CliError('stdin is a terminal.', 'Pipe the document in, or name a file with @file.')
}

function unreadable(path: string): (reason: string) => CliError {
  return (reason) => new CliError(`the file ${path} ${reason}.`, 'Check its path.')
}
