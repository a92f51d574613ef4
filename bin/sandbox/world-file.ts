import { type Document, isAlias, isCollection, isNode, isPair, parseDocument } from 'yaml'
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
  if (DEEP.test(text)) throw fault('is nested too deeply')
  /* The parser's messages are not repeated: they may quote the file. */
  const document = parsed(text, () => fault('is nested too deeply'))
  const [error] = document.errors
  if (error !== undefined) throw fault(`is not valid YAML or JSON: see line ${lineAt(text, error.pos[0])}`)
  try {
    resolveAliases(document.contents, 2 * (text.length + 1))
    return { path, document, text, world: document.toJS() as unknown }
  } catch {
    throw fault('has an alias without an anchor, or too many aliases')
  }
}

/* With a thousand levels in one line, the parser can take minutes, or end the process. */
const DEEP = /(?:[-?][ \t]+|[[{][ \t]*){50}/

function parsed(text: string, tooDeep: () => CliError): Document.Parsed {
  try {
    return withoutStacks(() => parseDocument(text, { prettyErrors: false, logLevel: 'error', uniqueKeys: false }))
  } catch {
    throw tooDeep()
  }
}

/*
 * Replaces each alias with the value of its anchor, which takes the parser quadratic time. Without aliases, a file has
 * fewer than two nodes per character. With them, it may not have more: a few lines could stand for billions.
 */
function resolveAliases(contents: unknown, most: number): void {
  const anchors = new Map<string, unknown>()
  let count = 0
  const resolved = (node: unknown): unknown => {
    count += 1
    if (count > most) throw new RangeError('too many aliases')
    if (isAlias(node)) {
      if (!anchors.has(node.source)) throw new ReferenceError('no such anchor')
      return resolved(anchors.get(node.source))
    }
    if (isNode(node) && node.anchor !== undefined) {
      anchors.set(node.anchor, node)
      /* When it is visited again, its name may stand for another value. */
      delete node.anchor
    }
    if (isPair(node)) Object.assign(node, { key: resolved(node.key), value: resolved(node.value) })
    if (isCollection(node)) for (const [at, item] of node.items.entries()) node.items[at] = resolved(item)
    return node
  }
  resolved(contents)
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
