import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { FAILURES } from '../../src/transport/failures.ts'

const ERRORS = join(import.meta.dirname, '../../src/errors.ts')

/* The library of TypeScript is parsed once. */
const PARSED = ts.createDocumentRegistry()

/* What an editor shows when somebody points at a field of a value of this type. */
function documentationOf(type: string, fields: readonly string[]): string[] {
  const file = join(import.meta.dirname, 'hovered.ts')
  const lines = [`import type { ${type} } from '${ERRORS}'\ndeclare const value: ${type}\n`]
  const positions = fields.map((field) => {
    const position = lines.join('').length + 'value.'.length
    lines.push(`value.${field}\n`)
    return position
  })
  const text = lines.join('')
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({
      allowImportingTsExtensions: true,
      strict: true,
      types: [],
      lib: ['lib.es2022.d.ts'],
    }),
    getCurrentDirectory: () => import.meta.dirname,
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    getScriptFileNames: () => [file],
    getScriptVersion: (path) => (path === file ? text : ''),
    getScriptSnapshot: (path) => ts.ScriptSnapshot.fromString(path === file ? text : (ts.sys.readFile(path) ?? '')),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
  }
  const service = ts.createLanguageService(host, PARSED)
  return positions.map((at) => ts.displayPartsToString(service.getQuickInfoAtPosition(file, at)?.documentation))
}

test.each([
  ['CertifyError', 'code outcome hint operation reference status apiCode phase requestId attempts durationMs'],
  ['CertifyError', 'retryAfterMs retryable issues possibleReasons prior apiMessages partial'],
  ['CertifyErrorDetails', 'code outcome message hint issues prior cause'],
  ['PriorSend', 'reference state sentAt ageMs invites quizId packageId campaign row'],
])('an editor shows what each field of a %s means: %s', (type, names) => {
  const fields = names.split(' ')
  const documentation = documentationOf(type, fields)
  expect(fields.filter((_field, index) => !documentation[index]?.endsWith('.'))).toEqual([])
})

test('an editor explains the outcomes, and names the codes', () => {
  const [code, outcome] = documentationOf('CertifyError', ['code', 'outcome'])
  for (const each of ['not-executed', 'unknown', 'executed']) expect(outcome).toContain(`\`${each}\``)
  for (const rule of Object.values(FAILURES)) expect(code).toContain(rule.code)
})
