/** Who may use the page and the control API where a request came in. */
export interface SiteAccess {
  /** Whether there are any. */
  readonly control: boolean
  /** The names of hosts, besides those of the loopback, that may be asked for; `null` where no network is between. */
  readonly hosts: readonly string[] | null
  /** The token that a request needs; `null` where it needs none. */
  readonly token: string | null
}

/** In process: whoever can ask there has the mock itself. */
export const IN_PROCESS: SiteAccess = { control: true, hosts: null, token: null }
