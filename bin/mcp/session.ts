import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { InvalidArgumentError } from 'commander'
import * as z from 'zod'
import { type CertifyError, isCertifyError } from '../../src/index.ts'
import type { CallbackFlags } from '../callbacks/callback-urls.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { howToResolve, wordError } from '../terminal/error-wording.ts'
import { printable } from '../terminal/text.ts'
import { issueText } from './plan.ts'
import type { Plans } from './plans.ts'

/** The flags of `certify mcp`. */
export interface McpFlags extends CallbackFlags {
  readonly maxInvites: number
  readonly readOnly?: boolean
  readonly showLinks?: boolean
}

/** Shared by the tools of one server. */
export interface Session {
  readonly context: Context
  readonly flags: McpFlags
  /** The calls in progress. */
  readonly running: Set<Promise<unknown>>
  /** Aborted when the client or a signal ends the server: no further create begins, and nobody is asked. */
  readonly ending: AbortSignal
  readonly plans: Plans
  /** The results of the plans that this server sends or has sent, by their ids. */
  readonly results: Map<string, Promise<object>>
  /** The questions that wait for an answer: the id of their plan, and their state. */
  readonly asked: Set<string>
}

/** What a call has beside its input. */
export interface ToolCall {
  /** Aborted when the client cancels the call, or by the interruption. */
  readonly signal: AbortSignal
  /** Whether the client can ask a person. */
  readonly canAsk: boolean
  /** The answers to the questions of an earlier round, and the state of that round. */
  readonly answers: Readonly<Record<string, unknown>> | undefined
  readonly state: string | undefined
}

/** A tool of the server. */
export interface Tool<Input extends z.ZodRawShape> {
  readonly name: string
  readonly description: string
  /** Whether it changes nothing. */
  readonly reads: boolean
  readonly input: Input
  /** @returns with `isFailed` if the call is reported to the client as failed; or a question */
  readonly run: (input: z.output<z.ZodObject<Input>>, call: ToolCall) => Promise<object>
}

/**
 * Adds a tool. A failure is a result with `isError`, never an error of the protocol. Everything from the service, the
 * ledger or the agent is data: it is returned as JSON, without control characters and nulls.
 */
export function addTool<Input extends z.ZodRawShape>(
  server: McpServer,
  session: Session,
  { name, description, reads, input, run }: Tool<Input>,
): void {
  /* Strict: a misspelt `sendEmail` must not count as the default. */
  const inputSchema: z.ZodType = z.strictObject(input)
  const annotations = { readOnlyHint: reads, destructiveHint: !reads, idempotentHint: true, openWorldHint: true }
  server.registerTool(name, { description, annotations, inputSchema }, async (given, { mcpReq }) => {
    const call: ToolCall = {
      signal: AbortSignal.any([mcpReq.signal, session.context.io.interruption]),
      canAsk: canAsk(server, mcpReq),
      answers: mcpReq.inputResponses,
      state: mcpReq.requestState<string>(),
    }
    const result = resultOf(run(given as z.output<z.ZodObject<Input>>, call))
    session.running.add(result)
    try {
      return await result
    } finally {
      session.running.delete(result)
    }
  })
}

/* Since 2026-07-28 each request says what the client can do; before, the connection does. No mode means a form. */
function canAsk({ server }: McpServer, { envelope }: ServerContext['mcpReq']): boolean {
  const declared = (envelope as Readonly<Record<string, ClientCapabilities>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ]
  const { elicitation } = declared ?? server.getClientCapabilities() ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

async function resultOf(running: Promise<object>): Promise<CallToolResult | InputRequiredResult> {
  try {
    const result = await running
    if (isInputRequiredResult(result)) return result
    const { isFailed = false, ...value } = result as { readonly isFailed?: boolean }
    return { content: [textOf(value)], ...(isFailed && { isError: true }) }
  } catch (error) {
    return { content: [textOf({ error: failureOf(error) })], isError: true }
  }
}

function textOf(value: unknown): CallToolResult['content'][number] {
  return { type: 'text', text: JSON.stringify(cleaned(value)) }
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return printable(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
  return Object.fromEntries(known.map(([name, each]) => [name, cleaned(each)]))
}

/* The code and the outcome are the CLI's; the words are for an agent. */
function failureOf(error: unknown) {
  if (isCertifyError(error)) return failureOfClient(error)
  const outcome = 'not-executed'
  if (error instanceof CliError) return { code: error.code, outcome, message: error.message, hint: error.hint }
  /* A value that a flag would not accept either. */
  if (error instanceof InvalidArgumentError) return { code: 'USAGE', outcome, message: error.message }
  const message = `An unexpected fault of certify itself: ${String(error)}`
  return { code: 'INTERNAL', outcome: 'unknown', message, hint: DO_NOT_CREATE_AGAIN }
}

function failureOfClient(error: CertifyError) {
  const { code, outcome, issues, apiMessages, possibleReasons } = error
  const { message, hint } = wordError(error)
  return {
    code,
    outcome,
    message: code === 'INPUT_INVALID' ? `${issues.map(issueText).join('; ')}.` : message,
    hint: outcome === 'unknown' ? DO_NOT_CREATE_AGAIN : hint,
    ...(apiMessages.length > 0 && { apiMessages }),
    ...(possibleReasons.length > 0 && { possibleReasons }),
  }
}

/** Words that keep an agent from trying again. */
export const DO_NOT_CREATE_AGAIN =
  'Do not create it again, in any way: the candidate may already have an invite. A person must find out, and record it.'

/** What a person does about an unknown create. There is no tool for it, because an agent cannot know. */
export function howAPersonResolves(reference: string | undefined, flags: string): string {
  return `A person asks the candidate or the service, and records it in a terminal: ${howToResolve(reference, flags)}.`
}
