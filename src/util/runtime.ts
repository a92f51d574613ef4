import manifest from '../../package.json' with { type: 'json' }

/** The version of this package. */
export const version: string = manifest.version

/** The application that uses this client. It is added to the user agent. */
export interface AppInfo {
  /** A token without spaces, as in `acme-ats`. */
  readonly name: string
  /** Its version, as in `1.4.0`. */
  readonly version?: string | undefined
}

/** The name of this client, its runtime and, if it is set, the application. */
export function userAgent(app: AppInfo | undefined): string {
  const application = app && [app.name, app.version].filter(Boolean).join('/')
  return [`certify-sdk/${version}`, runtimeName(), application].filter(Boolean).join(' ')
}

function runtimeName(): string | undefined {
  const { Bun, Deno, process, navigator } = globalThis as {
    readonly Bun?: { readonly version: string }
    readonly Deno?: { readonly version: { readonly deno: string } }
    readonly process?: { readonly versions?: { readonly node?: string } }
    readonly navigator?: { readonly userAgent?: string }
  }
  if (Bun !== undefined) return `bun/${Bun.version}`
  if (Deno !== undefined) return `deno/${Deno.version.deno}`
  if (navigator?.userAgent === 'Cloudflare-Workers') return 'workerd'
  const node = process?.versions?.node
  return node && `node/${node}`
}

/** A process warning. On runtimes without them, such as some Workers, a line on the console. */
export function warn(message: string, code: string): void {
  const { process } = globalThis as { readonly process?: WarningProcess }
  if (process?.emitWarning) process.emitWarning(message, { code })
  else console.warn(`(${code}) ${message}`)
}

interface WarningProcess {
  readonly emitWarning?: (message: string, options: { readonly code: string }) => void
}
