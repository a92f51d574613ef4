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

/** Reads the world to begin with: YAML by the name of the file, else JSON. @throws CliError with the line */
export async function readWorld(io: Pick<Io, 'readFile'>, path: string): Promise<WorldFile> {
  const text = readTextFile(io, path, (reason) => {
    return new CliError(`the file of --world, ${path}, ${reason}.`, `Check its path. ${WORLD_HINT}`)
  }).replace(/^\uFEFF/, '')
  if (!isYaml(path)) {
    try {
      return { path, text, world: JSON.parse(text) as unknown }
    } catch {
      /* YAML contains JSON: one reader finds the line for both. */
    }
  }
  const document = await parse(text)
  const [error] = document.errors
  if (error !== undefined || !isYaml(path)) {
    const line = error === undefined ? lineAt(text.trimEnd(), text.length) : lineAt(text, error.pos[0])
    /* The messages of the parser may repeat what the file contains. */
    const format = isYaml(path) ? 'YAML' : 'JSON'
    const message = `the file of --world, ${path}, is not ${format}: see line ${line}${reasonOf(error?.code)}.`
    throw new CliError(message, WORLD_HINT)
  }
  try {
    return { path, text, world: document.toJS({ maxAliasCount: 100 }) as unknown }
  } catch {
    throw new CliError(`the file of --world, ${path}, repeats too much by its aliases.`, WORLD_HINT)
  }
}

export function isYaml(path: string): boolean {
  return /\.ya?ml$/i.test(path)
}

/* Nobody reads more of them, and to find the line of each takes a while. */
const MOST_PROBLEMS = 100

/** The error for a world that is not valid: its problems with their lines. */
export async function worldError({ path, text }: WorldFile, problems: readonly Problem[]): Promise<CliError> {
  const document = await parse(text)
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

async function parse(text: string): Promise<Document> {
  const { isScalar, parseDocument, visit, YAMLParseError } = await import('yaml')
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
  /* To find keys that occur twice, the parser takes the square of their number. */
  visit(document, {
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
  return document
}

function reasonOf(code: string | undefined): string {
  const reason = code === undefined ? undefined : REASONS[code]
  return reason === undefined ? '' : `, ${reason}`
}

const REASONS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'where a key is for the second time',
  TAB_AS_INDENT: 'where there is a tab; indent with spaces',
  BAD_INDENT: 'which is indented in another way than the lines around it, or a bracket is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'where there is a colon too many; put such a text in quotes',
  MULTIPLE_DOCS: 'where a second document begins',
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/* Where a member begins, or the nearest one around it. */
function offsetOf(document: Document, path: string): number {
  const steps = [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
  for (let length = steps.length; length > 0; length -= 1) {
    const node = document.getIn(steps.slice(0, length), true) as
      | { readonly range?: readonly number[] | null }
      | undefined
    if (node?.range?.[0] !== undefined) return node.range[0]
  }
  return 0
}
