import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { CliError, codeOf, systemCode } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { refuseSpecialFile } from '../replace-file.ts'
import { isYaml } from '../sandbox/world-file.ts'
import template from '../sandbox/world-template.yaml?raw'

interface Flags {
  readonly force?: boolean
  readonly schema?: boolean
}

const FILE = 'world.yaml'

export const define: DefineCommand = (command, context) => {
  const { io, output } = context
  addManual(command, context, {
    notes: [
      'Writes an example of a world for `certify mock --world`: tracks, quizzes, candidates, keys and switches. A file that ' +
        'ends with .yaml or .yml has comments; one that ends with .json has none. A file that exists is kept, unless you ' +
        'give --force.',
      'Its first line names the JSON Schema of a world, so that editors complete and check the file. If certify-sdk is ' +
        'installed in the folder of the file, or above it, that is the one in the package, certify-sdk/world.schema.json. ' +
        'Otherwise it is the one that a mock on its default port serves.',
    ],
    output: 'the name of the file, or the JSON Schema with --schema.',
    json: '{"file"}, or the JSON Schema with --schema.',
    refusesJq: true,
    examples: ['certify mock init', 'certify mock init worlds/spring.json', 'certify mock init --schema'],
  })
    .argument('[file]', `the file to write; default: ${FILE}`)
    .option('--force', 'replace the file if it exists')
    .option('--schema', 'print the JSON Schema of a world instead')
    .action(async (file: string | undefined, { force = false, schema = false }: Flags) => {
      if (schema) {
        if (file !== undefined || force) {
          throw new CliError('--schema writes no file.', 'Leave out the file and --force, or leave out --schema.')
        }
        const { worldJsonSchema } = await import('../../mock-server/schemas/world.ts')
        await output.text(`${JSON.stringify(worldJsonSchema(), null, 2)}\n`)
        return
      }
      const path = file ?? FILE
      write(path, await exampleFor(path), force)
      await output.text(output.json ? `${JSON.stringify({ file: path })}\n` : `${path}\n`)
      if (io.stdout.isTTY) await output.remark(`Start it with: certify mock --world ${path}`)
    })
}

async function exampleFor(path: string): Promise<string> {
  const schema = schemaFor(path)
  if (isYaml(path)) return `# yaml-language-server: $schema=${schema}\n\n${template}`
  if (!/\.json$/i.test(path)) {
    throw new CliError(
      'the name of the file has to end with .yaml, .yml or .json.',
      `Such as certify mock init ${FILE}.`,
    )
  }
  const { parse } = await import('yaml')
  return `${JSON.stringify({ $schema: schema, ...(parse(template) as object) }, null, 2)}\n`
}

/* Of the package beside the file, if there is one: its schema is there without a network, and after the mock has stopped. */
function schemaFor(path: string): string {
  const folder = dirname(resolve(path))
  try {
    const installed = createRequire(join(folder, 'any.js')).resolve('certify-sdk/world.schema.json')
    const way = relative(folder, installed).replaceAll(sep, '/')
    if (existsSync(installed)) return way.startsWith('.') ? way : `./${way}`
  } catch {
    /* It is not installed there. */
  }
  return 'http://127.0.0.1:4010/__mock/world.schema.json'
}

function write(path: string, text: string, force: boolean): void {
  try {
    if (force) {
      refuseSpecialFile(path)
      rmSync(path, { force: true })
    }
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      throw new CliError(`${path} exists; nothing was written.`, '--force replaces it; or name another file.')
    }
    throw new CliError(`${path} cannot be written (${systemCode(error)}).`, 'Name a file in a folder that exists.')
  }
}
