/** The type of `mock.fetch`: assignable to the platform's `fetch`, if there is one. */
export type MockFetch = (
  input: string | { readonly href: string } | MockRequest,
  init?: MockRequestInit,
) => Promise<MockResponse>

/** The platform's `Request`, or a substitute if no type library declares one. */
export type MockRequest = typeof globalThis extends { Request: { prototype: infer Platform } }
  ? Platform
  : {
      readonly url: string
      readonly method: string
      readonly headers: { get(name: string): string | null }
      text(): Promise<string>
      json(): Promise<unknown>
    }

/** The second parameter of the platform's `Request`. */
export type MockRequestInit = typeof globalThis extends {
  Request: new (input: never, init?: infer Platform) => unknown
}
  ? Platform
  : {
      readonly method?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly signal?: unknown
    }

/** The platform's `Response`, or a substitute if no type library declares one. */
export type MockResponse = typeof globalThis extends { Response: { prototype: infer Platform } }
  ? Platform
  : {
      readonly status: number
      readonly ok: boolean
      readonly headers: { get(name: string): string | null }
      text(): Promise<string>
      json(): Promise<unknown>
      readonly body: unknown
    }
