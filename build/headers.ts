/* Stands in for the Headers that graphql-request collects: the client sends its own, and reads none of these. */
export class NoHeaders {
  has(): boolean {
    return true
  }
}
