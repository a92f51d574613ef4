/** What every route knows of a request. */
export interface SiteEnv {
  Bindings: {
    /** Where the mock stands: what its addresses begin with. */
    readonly base: string
    /** The path in it, without a slash at the end. */
    readonly prefix: string
    readonly signal: AbortSignal
    /** Whether the body could not be read. */
    readonly isUnread: boolean
  }
}
