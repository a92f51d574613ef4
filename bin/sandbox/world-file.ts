import type { Document } from 'yaml'
import { CliError } from '../cli-error.ts'
import { readTextFile } from '../files.ts'
import type { Io } from '../io.ts'

/** A world in a file, not yet checked. */
export interface WorldFile {
  readonly path: string
  readonly text: string
  readonly world: unknown
}

/** Something that is wrong with a world, and where: `tracks[2].packages[0].quizIds[1]`. */
export interface Problem {
  readonly path: string
  readonly message: string
}

const WORLD_HINT = '`certify mock init` writes an example, which editors can check.'

/** Reads the world to begin with: YAML by the name of the file, else JSON. @throws CliError with the line, if it is known */
export async function readWorld(io: Pick<Io, 'readFile'>, path: string): Promise<WorldFile> {
  const fault = (reason: string, hint = WORLD_HINT) => new CliError(`the file of --world, ${path}, ${reason}.`, hint)
  const text = readTextFile(io, path, (reason) => fault(reason, `Check its path. ${WORLD_HINT}`)).replace(/^\uFEFF/, '')
  return { path, text, world: isYaml(path) ? await readYaml(text, fault) : readJson(text, fault) }
}

type Fault = (reason: string) => CliError

/* No message of a parser is repeated: it may contain what the file contains. */
async function readYaml(text: string, fault: Fault): Promise<unknown> {
  const [document, second] = await parse(text)
  const [syntax] = document?.errors ?? []
  if (syntax !== undefined) {
    const reason = REASONS[syntax.code]
    throw fault(
      `is not valid YAML: see line ${lineAt(text, syntax.pos[0])}${reason === undefined ? '' : `, ${reason}`}`,
    )
  }
  if (second !== undefined) throw fault(`has more than one document: see line ${lineAt(text, second.range[0])}`)
  try {
    return (document?.toJS({ maxAliasCount: MOST_ALIASES }) ?? null) as unknown
  } catch (error) {
    const isTooMany = error instanceof Error && error.message.startsWith('Excessive alias count')
    throw fault(isTooMany ? `uses more than ${MOST_ALIASES} aliases` : 'has an alias without an anchor before it')
  }
}

function readJson(text: string, fault: Fault): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const position = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(String(error))?.[1]
    throw fault(`is not valid JSON${position === undefined ? '' : `: see line ${lineAt(text, Number(position))}`}`)
  }
}

/* An alias of an alias counts as often as it is used: a short file must not become a huge world. */
const MOST_ALIASES = 1000

const REASONS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'where a key is repeated',
  TAB_AS_INDENT: 'which is indented with a tab; use spaces',
  BAD_INDENT: 'which is indented differently from the lines around it, or follows a bracket that is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'which has a colon too many; put text that contains a colon in quotes',
}

export function isYaml(path: string): boolean {
  return /\.ya?ml$/i.test(path)
}

/* Nobody reads more of them, and to find the line of each takes a while. */
const MOST_PROBLEMS = 100

/** The error for a world that is not valid: its problems with their lines. */
export async function worldError({ path, text }: WorldFile, problems: readonly Problem[]): Promise<CliError> {
  const [document] = await parse(text)
  const placed = problems
    .slice(0, MOST_PROBLEMS)
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

/* None if there is nothing but comments. */
async function parse(text: string): Promise<readonly Document.Parsed[]> {
  const { isScalar, parseAllDocuments, visit, YAMLParseError } = await import('yaml')
  const options = { prettyErrors: false, logLevel: 'silent', uniqueKeys: false } as const
  let documents: readonly Document.Parsed[]
  try {
    documents = [...parseAllDocuments(text, options)]
  } catch {
    throw new CliError('the file of --world is nested too deeply.', WORLD_HINT)
  }
  /* To find a repeated key, the parser itself takes the square of their number. */
  for (const document of documents) {
    let aliases = 0
    visit(document, {
      Alias() {
        aliases += 1
        if (aliases > MOST_ALIASES)
          throw new CliError(`the file of --world uses more than ${MOST_ALIASES} aliases.`, WORLD_HINT)
      },
      Map(_key, { items }) {
        const seen = new Set<unknown>()
        for (const { key } of items) {
          const { value, range } = isScalar(key) ? key : {}
          if (range && seen.has(value))
            document.errors.push(new YAMLParseError([range[0], range[1]], 'DUPLICATE_KEY', ''))
          if (range) seen.add(value)
        }
      },
    })
  }
  return documents
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/* Where a member begins, or the nearest one around it. */
function offsetOf(document: Document.Parsed | undefined, path: string): number {
  const steps = [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
  for (let length = steps.length; length > 0; length -= 1) {
    const node = document?.getIn(steps.slice(0, length), true) as
      | { readonly range?: readonly number[] | null }
      | undefined
    if (node?.range?.[0] !== undefined) return node.range[0]
  }
  return 0
}
