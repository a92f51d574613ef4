import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { CliError, codeOf, systemCode } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import { refuseSpecialFile } from '../files.ts'
import template from '../sandbox/world-template.yaml?raw'

const FILE = 'world.yaml'

export const define: DefineCommand = (command, context) => {
  const { io, output } = context
  addManual(command, {
    about:
      'The file is an example world for certify mock --world: YAML with comments, or JSON if its name ends in .json. Its first ' +
      'line names the JSON Schema, so that editors can complete and check it.',
    output: 'the name of the file.',
    examples: ['certify mock init', 'certify mock init worlds/spring.json'],
    guide: 'sandbox.md',
  })
    .argument('[file]', `the file to write; default: ${FILE}`)
    .option('--force', 'replace the file if it exists')
    .action(async (file: string | undefined, { force = false }: { readonly force?: boolean }) => {
      const path = file ?? FILE
      write(path, await exampleFor(path), force)
      await output.text(output.json ? `${JSON.stringify({ file: path })}\n` : `${path}\n`)
      if (io.stdout.isTTY) await output.remark(`Start it with: certify mock --world ${path}`)
    })
}

async function exampleFor(path: string): Promise<string> {
  const schema = schemaFor(path)
  if (/\.ya?ml$/i.test(path)) return `# yaml-language-server: $schema=${schema}\n\n${template}`
  if (!/\.json$/i.test(path)) {
    throw new CliError(
      'the name of the file must end with .yaml, .yml or .json.',
      `For example: certify mock init ${FILE}.`,
    )
  }
  const { parse } = await import('yaml')
  return `${JSON.stringify({ $schema: schema, ...(parse(template) as object) }, null, 2)}\n`
}

/* From the package installed beside the file, if any: that needs no network, and outlives the mock. */
function schemaFor(path: string): string {
  const folder = dirname(resolve(path))
  try {
    const installed = createRequire(join(folder, 'any.js')).resolve('certify-sdk/world.schema.json')
    const way = relative(folder, installed).replaceAll(sep, '/')
    if (existsSync(installed)) return way.startsWith('.') ? way : `./${way}`
  } catch {
    /* Not installed there. */
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
