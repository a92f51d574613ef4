/** How a request came in, as far as the page and the control API care. */
export interface Door {
  /** Whether there are any page and control API behind it. */
  readonly control: boolean
  /** The names, besides those of the loopback, under which they may be asked for; `null` where no network is between. */
  readonly hosts: readonly string[] | null
  /** What they have to be shown; `null` where nothing. */
  readonly token: string | null
}

/** In process: whoever can ask there has the mock itself in hand. */
export const INSIDE: Door = { control: true, hosts: null, token: null }
