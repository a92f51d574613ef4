/* Stand in for what graphql-request makes for the fetch that it calls: the client's, which reads none of it. */

export class NoAddress {
  readonly href = undefined
}

export class NoHeaders {
  has(): boolean {
    return true
  }
}
