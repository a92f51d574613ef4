import type { CST, Document, ErrorCode } from 'yaml'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { DEEPEST_WORLD, isDeeper } from '../../mock-server/world/problems.ts'
import { readTextFile } from '../read-file.ts'

/** A world in a file, not yet checked. */
export interface WorldFile {
  readonly path: string
  readonly text: string
  readonly world: unknown
  /** Of YAML: where each member is. */
  readonly document?: Document | undefined
}

/** Something that is wrong with a world, and where: `tracks[2].packages[0].quizIds[1]`. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** Reads the world to begin with: YAML by the name of the file, else JSON. @throws CliError with the line */
export async function readWorld(io: Pick<Io, 'readFile'>, path: string): Promise<WorldFile> {
  const text = readTextFile(io, path, (reason) => {
    return new CliError(`the file of --world, ${path}, ${reason}.`, `Check its path. ${WORLD_HINT}`)
  }).replace(/^\uFEFF/, '')
  return { path, text, ...(isYaml(path) ? await parseYaml(text, path) : { world: await parseJson(text, path) }) }
}

export function isYaml(path: string): boolean {
  return /\.ya?ml$/i.test(path)
}

/** The error for a world that is not valid: every problem with its line. */
export async function worldError(
  { path, text, document: known }: WorldFile,
  problems: readonly Problem[],
): Promise<CliError> {
  const { parseDocument } = await import('yaml')
  /* YAML contains JSON: one reader knows the lines of both. */
  const document = known ?? parseDocument(text, { logLevel: 'silent', uniqueKeys: false })
  const placed = problems
    .map((problem) => ({ ...problem, line: lineAt(text, offsetOf(document, problem.path)) }))
    .toSorted((a, b) => a.line - b.line)
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  return new CliError(`the world in ${path} has ${count}; nothing was started.`, WORLD_HINT, {
    details: { problems: placed },
    lines: placed.map(
      ({ line, path: place, message }) => `line ${line}: ${place === '' ? '' : `${place}: `}${message}`,
    ),
  })
}

const WORLD_HINT = '`certify mock init` writes an example, which editors can check.'

async function parseJson(text: string, path: string): Promise<unknown> {
  let world: unknown
  try {
    world = JSON.parse(text)
  } catch {
    /* Its message may repeat what the file contains. */
    throw syntaxError(path, 'JSON', `see line ${await jsonFaultLine(text)}`)
  }
  if (isDeeper(world, DEEPEST_WORLD)) throw tooDeep(path)
  return world
}

/* One character at a time: the parser stops at the first that cannot follow. */
async function jsonFaultLine(text: string): Promise<number> {
  const { JSONParser } = await import('@streamparser/json')
  const parser = new JSONParser()
  parser.onValue = () => {}
  let at = 0
  try {
    for (; at < text.length; at += 1) parser.write(text.charAt(at))
  } catch {
    return lineAt(text, at)
  }
  return lineAt(text.trimEnd(), text.length)
}

async function parseYaml(text: string, path: string): Promise<Pick<WorldFile, 'world' | 'document'>> {
  const [document, second] = await documentsIn(text, path)
  const [error] = document?.errors ?? []
  if (error)
    throw syntaxError(path, 'YAML', `line ${lineAt(text, error.pos[0])}: ${YAML_FAULTS[error.code] ?? OTHER_FAULT}`)
  if (second) throw secondDocument(path, lineAt(text, second.range[0]))
  try {
    return { document, world: document?.toJS({ maxAliasCount: 100 }) as unknown }
  } catch {
    throw new CliError(`the file of --world, ${path}, repeats too much by its aliases.`, WORLD_HINT)
  }
}

/* The composer calls itself for each level, compares each key with all others, and walks through all to find an alias. */
async function documentsIn(text: string, path: string) {
  const { Composer, Lexer, Parser } = await import('yaml')
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let aliases = 0
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    const { length, [length - 1]: top } = parser.stack
    if (length > DEEPEST_WORLD) throw tooDeep(path)
    if (countIn(top) > MOST_ENTRIES) throw tooMuch(path, `has more than ${MOST_ENTRIES} entries in a list or map`)
    aliases += Number(lexeme.startsWith('*'))
    if (aliases > MOST_ALIASES) throw tooMuch(path, `has more than ${MOST_ALIASES} aliases`)
  }
  tokens.push(...parser.end())
  return new Composer({ prettyErrors: false, logLevel: 'error' }).compose(tokens, true, text.length)
}

const MOST_ENTRIES = 5000
const MOST_ALIASES = 1000

function countIn(token: CST.Token | undefined): number {
  return token !== undefined && 'items' in token ? token.items.length : 0
}

function tooDeep(path: string): CliError {
  return new CliError(`the file of --world, ${path}, is nested more than ${DEEPEST_WORLD} levels deep.`, WORLD_HINT)
}

function tooMuch(path: string, what: string): CliError {
  return new CliError(`the file of --world, ${path}, ${what}.`, 'Write it as JSON.')
}

function secondDocument(path: string, line: number): CliError {
  const text = `the file of --world, ${path}, has a second YAML document: see line ${line}. A world is one document.`
  return new CliError(text, WORLD_HINT)
}

/* The messages of the parser may repeat what the file contains. */
const YAML_FAULTS: Partial<Record<ErrorCode, string>> = {
  DUPLICATE_KEY: 'this key is here twice',
  TAB_AS_INDENT: 'there is a tab; indent with spaces',
  BAD_INDENT: 'this is indented in another way than the lines around it, or a bracket is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'there is a colon too many; put such a text in quotes',
  BAD_SCALAR_START: 'a text cannot begin with this sign; put it in quotes',
  MISSING_CHAR: 'a sign is missing, such as a quote or a colon',
  MULTILINE_IMPLICIT_KEY: 'a key without a value; write a colon and a space after it',
}

const OTHER_FAULT = 'this cannot be here'

function syntaxError(path: string, format: string, reason: string): CliError {
  return new CliError(`the file of --world, ${path}, is not ${format}: ${reason}.`, WORLD_HINT)
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Where a member begins, or the nearest one around it. */
function offsetOf(document: Document, path: string): number {
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    const { items = [] } = (node ?? {}) as { readonly items?: readonly unknown[] }
    const pair = items.find((each) => keyIn(each) === name) as Pair | undefined
    node = index === undefined ? pair?.value : items[Number(index)]
    if (index === undefined ? pair === undefined : node === undefined) return offset
    offset = startOf(index === undefined ? pair?.key : node) || offset
  }
  return offset
}

interface Pair {
  readonly key: unknown
  readonly value: unknown
}

function keyIn(item: unknown): unknown {
  const { key } = Object(item) as { readonly key?: { readonly value?: unknown } | null }
  return key?.value
}

function startOf(node: unknown): number {
  const { range } = (node ?? {}) as { readonly range?: readonly number[] | null }
  return range?.[0] ?? 0
}
