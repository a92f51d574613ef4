import * as z from 'zod/mini'
import type { MockServerOptions } from '../contract/options.ts'
import { mustBe, object, parseWith } from './error-messages.ts'
import { switches } from './switches.ts'

/** Throws one error that names every unknown option and every wrong value; the world is checked by itself. */
export function assertOptions(options: MockServerOptions): void {
  parseWith(mockOptions, options, 'These options are not valid')
}

const mockOptions = object('the mock', {
  baseUrl: z.optional(z.string({ error: mustBe('a text') })),
  seed: z.optional(z.string({ error: mustBe('a text') })),
  world: z.optional(z.unknown()),
  behaviour: z.optional(switches),
  now: z.optional(z.union([z.string(), z.number(), z.date()], { error: mustBe('a time') })),
  callbacks: z.optional(
    object('callbacks', {
      deliver: z.optional(z.custom(isFunction, { error: mustBe('a function') })),
      hosts: z.optional(z.record(z.string(), z.string(), { error: mustBe('an object of origins') }).check(areOrigins)),
      allow: z.optional(z.array(z.string(), { error: mustBe('a list of host names') })),
      timeoutMs: z.optional(z.number({ error: mustBe('a number of milliseconds') })),
    }),
  ),
})

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function areOrigins({ value, issues }: z.core.ParsePayload<Record<string, string>>): void {
  const refuse = (text: string, example: string): void => {
    if (/^https?:\/\//.test(text) && URL.canParse(text)) return
    const message = `callbacks.hosts: ${JSON.stringify(text)} is no origin such as ${example}`
    issues.push({ code: 'custom', input: text, message })
  }
  for (const [from, to] of Object.entries(value)) {
    refuse(from, 'https://app.example')
    refuse(to, 'http://127.0.0.1:3000')
  }
}
