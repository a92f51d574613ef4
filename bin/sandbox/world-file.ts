import { type Document, parseDocument } from 'yaml'
import type { ReportedProblem } from '../../mock-server/world/problems.ts'
import { CliError } from '../cli-error.ts'
import { readTextFile } from '../files.ts'
import type { Io } from '../io.ts'
import { withoutStacks } from '../parsing.ts'

/** A world in a file, not yet checked. */
export interface WorldFile {
  readonly path: string
  readonly document: Document.Parsed
  readonly text: string
  readonly world: unknown
}

const WORLD_HINT = '`certify mock init` writes an example, which editors can check.'

/** Reads the initial world: YAML, which includes JSON. @throws CliError with the line */
export function readWorld(io: Pick<Io, 'readFile'>, path: string): WorldFile {
  const fault = (reason: string, hint = WORLD_HINT) => new CliError(`the file of --world, ${path}, ${reason}.`, hint)
  const text = readTextFile(io, path, (reason) => fault(reason, `Check its path. ${WORLD_HINT}`)).replace(/^\uFEFF/, '')
  /* The parser's messages are not repeated: they may quote the file. */
  const document = parsed(text, () => fault('is nested too deeply'))
  const [error] = document.errors
  if (error !== undefined) throw fault(`is not valid YAML or JSON: see line ${lineAt(text, error.pos[0])}`)
  try {
    return { path, document, text, world: document.toJS() as unknown }
  } catch {
    throw fault('has an alias without an anchor, or too many aliases')
  }
}

function parsed(text: string, tooDeep: () => CliError): Document.Parsed {
  try {
    return withoutStacks(() => parseDocument(text, { prettyErrors: false, logLevel: 'error', uniqueKeys: false }))
  } catch {
    throw tooDeep()
  }
}

/* Finding the line of each takes a while. */
const MAX_PROBLEMS = 100

/** The error for a world that is not valid: its problems with their lines. */
export function worldError({ path, text, document }: WorldFile, problems: readonly ReportedProblem[]): CliError {
  const placed = problems
    .slice(0, MAX_PROBLEMS)
    .map((problem) => ({ ...problem, line: lineAt(text, offsetOf(document, problem.path)) }))
    .toSorted((a, b) => a.line - b.line)
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  return new CliError(`the world in ${path} has ${count}; nothing was started.`, WORLD_HINT, {
    details: { problems: placed },
    lines: placed.map(({ line, path: place, message }) => `line ${line}: ${place && `${place}: `}${message}`),
  })
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/* The offset of a member, or of the nearest one around it. */
function offsetOf(document: Document.Parsed, path: string): number {
  const steps = [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
  for (let length = steps.length; length > 0; length -= 1) {
    const node = document.getIn(steps.slice(0, length), true) as { readonly range?: readonly number[] } | undefined
    if (node?.range?.[0] !== undefined) return node.range[0]
  }
  return 0
}
