import { expectTypeOf, test } from 'vitest'
import * as z from 'zod/mini'
import { createMockServer } from '../../mock-server/index.ts'
import { matchesGenerated, closedAs, milliseconds } from '../../src/validation.ts'
import {
  type ApiKeyOptions,
  CertifyClient,
  type CertifyError,
  type CertifyErrorCode,
  type Fetch,
  isCertifyError,
  type RequestEvent,
} from '../../src/index.ts'
import type { CertificationLevel as Level } from '../../src/generated/schema.ts'
import type { Ledger } from '../../src/ledger/index.ts'

/* Checked by the compiler: none of this runs against a service. */
const baseUrl = 'https://certify.test'
const candidate = { email: 'ada@example.com' }
const never = () => false

test('inputs have the fields of the specification', () => {
  if (never()) {
    const client = new CertifyClient({ baseUrl, apiKey: 'ck_1' })
    // @ts-expect-error the specification shows no externalReference on a package invite
    void client.packageInvites.create({ packageId: 'p', candidate, externalReference: 'r' })
    // @ts-expect-error a quiz is needed
    void client.invites.create({ candidate })
  }
})

test('there is one kind of client, and a fake of its methods is one without a cast', () => {
  const session = new CertifyClient({ baseUrl, adminSession: { headers: { authorization: 'Bearer s' } } })
  expectTypeOf(session).toEqualTypeOf<CertifyClient>()
  const nothing = () => Promise.reject(new Error('not in this test'))
  const fake = {
    endpoint: '',
    limits: { timeoutMs: 1, deadlineMs: 1, maxAttempts: 1 },
    tracks: { list: async () => [], get: nothing },
    invites: { create: nothing },
    packageInvites: { create: nothing },
    request: nothing,
  }
  expectTypeOf(fake).toExtend<CertifyClient>()
})

test('a ledger shows its users what is for them, and not what only a client calls', () => {
  type Reads = 'now' | 'inbox' | 'find' | 'list' | 'count' | 'progress' | 'revision' | 'check'
  type Writes = 'path' | 'resolve' | 'import' | 'purge' | 'move' | 'backup' | 'close'
  expectTypeOf<keyof Ledger>().toEqualTypeOf<Reads | Writes>()
})

test('a caught error narrows by its code to the outcomes that it can have', () => {
  const read = (caught: unknown) => {
    if (!isCertifyError(caught)) throw caught
    const asGeneral: CertifyError = caught
    switch (caught.code) {
      case 'ALREADY_INVITED':
      case 'INPUT_INVALID':
        expectTypeOf(caught.outcome).toEqualTypeOf<'not-executed'>()
        expectTypeOf(caught.prior[0]?.reference).toEqualTypeOf<string | undefined>()
        return caught.issues
      case 'RESPONSE_UNEXPECTED':
        if (caught.outcome === 'executed') expectTypeOf(caught.partial).toBeUnknown()
        return []
      case 'CONNECTION_LOST':
        expectTypeOf(caught.outcome).toEqualTypeOf<'unknown' | 'not-executed'>()
        // @ts-expect-error its outcome is never 'executed'
        void (caught.outcome === 'executed')
        return []
      default:
        return asGeneral.possibleReasons
    }
  }
  expectTypeOf(read).toBeFunction()
})

test('unknown and mutually exclusive options do not compile', () => {
  if (never()) {
    // @ts-expect-error it is called timeoutMs
    void new CertifyClient({ baseUrl, apiKey: 'k', timeout: 5 })
    // @ts-expect-error one of the two, not both
    void new CertifyClient({ baseUrl, apiKey: 'k', adminSession: { headers: {} } })
    // @ts-expect-error neither
    void new CertifyClient({ baseUrl })
  }
})

test('a headers function gets the attempt, and returns a record or a promise of one', () => {
  type Headers = ApiKeyOptions['headers']
  expectTypeOf(({ attempt }: RequestEvent) => ({ traceparent: String(attempt) })).toExtend<Headers>()
  expectTypeOf<() => Promise<{ traceparent: string }>>().toExtend<Headers>()
  expectTypeOf<() => string>().not.toExtend<Headers>()
  expectTypeOf<keyof RequestEvent>().toEqualTypeOf<'operation' | 'reference' | 'attempt'>()
})

test('the global fetch and the mock’s fetch are assignable to the option', () => {
  expectTypeOf<typeof fetch>().toExtend<Fetch>()
  expectTypeOf(createMockServer().fetch).toExtend<Fetch>()
  expectTypeOf(createMockServer().fetch).toExtend<typeof fetch>()
})

test('a level accepts unknown values and still autocompletes', () => {
  expectTypeOf<'GRANDMASTER'>().toExtend<Level>()
  expectTypeOf<Level>().toExtend<string>()
})

test('error codes are a closed union, so that a switch over them can be exhaustive', () => {
  expectTypeOf<CertifyError['code']>().toEqualTypeOf<CertifyErrorCode>()
  expectTypeOf<string>().not.toExtend<CertifyErrorCode>()
})

test('request takes its types from a typed document', () => {
  if (never()) {
    const client = new CertifyClient({ baseUrl, apiKey: 'k' })
    const document = '{ x }' as string & { __apiType?: (variables: { id: string }) => { x: number } }
    expectTypeOf(client.request(document, { id: '1' })).resolves.toEqualTypeOf<{ x: number }>()
    // @ts-expect-error a wrong variable
    void client.request(document, { id: 1 })
    // @ts-expect-error no variables where the document needs one
    void client.request(document)
    // @ts-expect-error not a document
    void client.request(5)
    // @ts-expect-error not a document
    void client.request({ kind: 'Document', definitions: [] })
    expectTypeOf(client.request('{ x }')).resolves.toBeUnknown()
  }
})

test('a schema that differs from the generated type does not compile', () => {
  const schema = z.object({ id: z.string(), note: z.optional(z.string()) })
  matchesGenerated<{ id: string; note?: string | undefined }>()(schema)
  matchesGenerated<{ readonly id: 'A' | 'B'; readonly note?: string | undefined }>()(schema)
  // @ts-expect-error a field that the schema of the service does not have
  matchesGenerated<{ id: string }>()(schema)
  // @ts-expect-error this field is optional, and missing here
  matchesGenerated<{ id: string; note?: string | undefined; more?: string | undefined }>()(schema)
  // @ts-expect-error another type
  matchesGenerated<{ id: number; note?: string | undefined }>()(schema)
})

test('a schema that lacks an option, or has one more than its interface, does not compile', () => {
  const shape = { timeoutMs: milliseconds() }
  closedAs<{ timeoutMs?: number }>()(shape)
  // @ts-expect-error the schema has forgotten an option
  closedAs<{ timeoutMs?: number; retry?: false }>()(shape)
  // @ts-expect-error the schema has an option that nobody knows of
  closedAs<object>()(shape)
})
