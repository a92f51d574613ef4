import { CliError } from '../cli-error.ts'
import type { Context, DefineCommand } from '../context.ts'
import { readTextFile } from '../files.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import { isJsonObject } from '../parsing.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about:
      'The document is an argument, @file, or - for stdin. Mutations bypass the ledger, so a candidate who was already ' +
      'invited is not refused.',
    output: 'the data of the response as one JSON document.',
    dryRun: 'print the request, without the key; send nothing',
    examples: [
      "certify api '{ developerCertificationPackageTracks { slug } }'",
      'certify api - --variables @variables.json < mutation.graphql',
    ],
    guide: 'inviting.md',
  })
    .argument('<document>', 'the GraphQL document, @file, or - for stdin')
    .option('--variables <file>', 'the variables, as a JSON object: @file, or - for stdin', once)
    .action(async (source: string, { variables }: { readonly variables?: string }) => {
      const { io, output, client } = context
      if (source === '-' && variables === '-') {
        const hint = 'Put one of them into a file, and name it with @file.'
        throw new CliError('the document and the variables cannot both come from stdin.', hint)
      }
      const document = source === '-' || source.startsWith('@') ? await readSource(context, source) : source
      const all = variables === undefined ? {} : await readVariables(context, variables)
      const value = await (await client('write')).request(document, all, { signal: io.interruption })
      /* The word alone calls for care: the response of a mutation may have the only copy of a link. */
      const isOnlyCopy = /\bmutation\b/.test(document)
      await output.document(value, isOnlyCopy).catch((error: unknown) => {
        if (!isOnlyCopy || !(error instanceof CliError)) throw error
        const hint = 'Do not run the command again. Save the printed data: it may be the only copy.'
        throw new CliError(`it was sent, but ${error.message}`, hint, { code: error.code, exitCode: 6, partial: value })
      })
    })
}

async function readVariables(context: Context, source: string): Promise<Readonly<Record<string, unknown>>> {
  if (source !== '-' && !source.startsWith('@')) {
    /* Not quoted: it may be the variables themselves. */
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
