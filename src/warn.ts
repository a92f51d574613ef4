/** A process warning. On runtimes without them, such as some Workers, a line on the console. */
export function warn(message: string, code: string): void {
  const { process } = globalThis as { readonly process?: WarningProcess }
  if (process?.emitWarning) process.emitWarning(message, { code })
  else console.warn(`(${code}) ${message}`)
}

interface WarningProcess {
  readonly emitWarning?: (message: string, options: { readonly code: string }) => void
}
