/** A request, free of any runtime: header names in any case; `body` is `null` where it was too large to be read. */
export interface PlainRequest {
  readonly method: string
  /** From the mock's base on, with the query string: `/api/developer/graphql`. */
  readonly target: string
  header(name: string): string | null
  readonly body: string | null
}

/** An answer, free of any runtime. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The largest body that is read, in bytes: 1 MiB. */
export const MAX_BODY_BYTES: number = 1024 * 1024
