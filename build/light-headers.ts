/*
 * Replaces the global `Headers`, which graphql-request creates for each request. Merely naming the global one loads all
 * of undici, which takes 20 ms: a fifth of `certify tracks list`, or of the first call in a new process. Names are in
 * lower case here, as in the client.
 */
export class LightHeaders extends Map<string, string> {
  constructor(headers: Readonly<Record<string, string>>) {
    super(Object.entries(headers))
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase())
  }
}
