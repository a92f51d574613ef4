/** A process warning. Where there is none, as in some Workers, it is a line on the console. */
export function warn(message: string, code: string): void {
  const { process } = globalThis as { readonly process?: WarningProcess }
  if (process?.emitWarning) process.emitWarning(message, { code })
  else console.warn(`(${code}) ${message}`)
}

interface WarningProcess {
  readonly emitWarning?: (message: string, options: { readonly code: string }) => void
}
