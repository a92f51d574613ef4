import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { CliError, codeOf, systemCode } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import template from '../sandbox/world-template.yaml?raw'

const FILE = 'world.yaml'

export const define: DefineCommand = (command, context) => {
  const { io, output } = context
  addManual(command, {
    about:
      'The file is an example world for certify mock --world, with comments. Its first line names the JSON Schema, so that ' +
      'editors can complete and check it. An existing file is kept.',
    output: 'the name of the file.',
    examples: ['certify mock init', 'certify mock init worlds/spring.yaml'],
    guide: 'sandbox.md',
  })
    .argument('[file]', `the file to write; default: ${FILE}`)
    .action(async (path = FILE) => {
      write(path, `# yaml-language-server: $schema=${schemaFor(path)}\n\n${template}`)
      await output.text(output.json ? `${JSON.stringify({ file: path })}\n` : `${path}\n`)
      if (io.stdout.isTTY) await output.remark(`Start it with: certify mock --world ${path}`)
    })
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

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      throw new CliError(`${path} exists; nothing was written.`, 'Name another file, or remove this one.')
    }
    throw new CliError(`${path} cannot be written (${systemCode(error)}).`, 'Name a file in a folder that exists.')
  }
}
