import { isCertifyError } from '../errors.ts'

/** What subscribers see of some work: identifiers, never a candidate, a link or a key. It grows until the work ends. */
export type TraceContext = Record<string, unknown>

/**
 * Runs work as a span of the tracing channel `certify-sdk:{name}`, where the runtime has such channels. Its result stays out of
 * the events: it has the link.
 */
export async function traced<Result>(
  name: 'create' | 'attempt',
  context: TraceContext,
  work: () => Promise<Result>,
  errorOf: (thrown: unknown) => unknown = (thrown) => thrown,
): Promise<Result> {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(id: string): Channels } }
  /* Making one takes a sixth of the CPU time of a create. */
  const channel = (channels[name] ??= process
    ?.getBuiltinModule?.('node:diagnostics_channel')
    .tracingChannel?.(`certify-sdk:${name}`))
  if (channel === undefined || channel.hasSubscribers === false) return work()
  let ended: Promise<Result> | undefined
  const span = async () => {
    ended = work()
    await ended.catch((error: unknown) => {
      const failure = errorOf(error)
      if (!isCertifyError(failure)) throw new Error('unknown')
      const { code, outcome, requestId, status, reference = context['reference'] } = failure
      Object.assign(context, { code, outcome, requestId, status, reference })
      throw new Error(code)
    })
  }
  await channel.tracePromise(span, context).catch(() => {})
  return ended as unknown as Promise<Result>
}

const channels: Partial<Record<string, Channel | undefined>> = {}

interface Channels {
  readonly tracingChannel?: (name: string) => Channel
}

interface Channel {
  readonly hasSubscribers?: boolean
  readonly tracePromise: (work: () => Promise<void>, context: TraceContext) => Promise<void>
}
