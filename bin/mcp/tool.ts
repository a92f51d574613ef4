import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import { printable } from '../terminal/printable.ts'
import { failureOf } from './failure.ts'
import type { Session } from './session.ts'

/** A tool of the server. */
export interface Tool<Input extends z.ZodRawShape, Output> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>
  readonly input: Input
  /** The shape of what it returns. Objects are open: later versions may add fields. */
  readonly output: z.ZodType<Output>
  readonly run: (input: z.output<z.ZodObject<Input>>, call: Call) => Promise<Returned<Immutable<Output>>>
}

/** One call of a tool. */
export interface Call {
  /** Aborted when the client cancels the call, or by the interruption. */
  readonly signal: AbortSignal
  /** Tells the client that the call goes on. */
  readonly progress: (done: number, of: number) => Promise<void>
}

export interface Returned<Output> {
  readonly value: Output
  /** Whether the client is told that the call failed. */
  readonly isFailed?: boolean
}

/** The type of a schema has mutable lists, and unknown fields. */
type Immutable<T> = T extends readonly (infer Each)[]
  ? readonly Immutable<Each>[]
  : T extends object
    ? { readonly [Name in keyof T as string extends Name ? never : Name]: Immutable<T[Name]> }
    : T

/** Annotations of tools that change nothing. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const

/**
 * Adds a tool. A failure is a result with `isError`, never an error of the protocol. What comes from the service, the ledger or
 * the agent is data: it is returned in JSON, without control characters.
 */
export function addTool<Input extends z.ZodRawShape, Output extends object>(
  server: McpServer,
  session: Session,
  { name, title, description, annotations, input, output, run }: Tool<Input, Output>,
): void {
  /* Strict: a misspelt `sendEmail` must not count as the default. */
  const inputSchema: z.ZodType = z.strictObject(input)
  const outputSchema: z.ZodType = output
  server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, async (given, extra) => {
    const signal = AbortSignal.any([extra.signal, session.context.io.interruption])
    const { _meta: meta } = extra
    const progress = async (done: number, total: number) => {
      if (meta?.progressToken === undefined) return
      const params = { progressToken: meta.progressToken, progress: done, total }
      await extra.sendNotification({ method: 'notifications/progress', params })
    }
    const result = resultOf(run(given as z.output<z.ZodObject<Input>>, { signal, progress }))
    session.running.add(result)
    try {
      return await result
    } finally {
      session.running.delete(result)
    }
  })
}

async function resultOf(running: Promise<Returned<object>>): Promise<CallToolResult> {
  try {
    const { value, isFailed = false } = await running
    const structuredContent = cleaned(value) as Record<string, unknown>
    return { structuredContent, content: [textOf(structuredContent)], ...(isFailed && { isError: true }) }
  } catch (error) {
    return { content: [textOf(cleaned({ error: failureOf(error) }))], isError: true }
  }
}

/* For clients that do not read structured content. */
function textOf(value: unknown): CallToolResult['content'][number] {
  return { type: 'text', text: JSON.stringify(value) }
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return printable(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleaned(each)]))
}
