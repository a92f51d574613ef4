const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs steps that must be completed: meanwhile these signals do not end the process. A stopped program often gets two
 * of them, from the terminal and from the program that started it.
 */
export async function ignoringSignals(steps: () => Promise<void>): Promise<void> {
  for (const signal of SIGNALS) process.on(signal, ignore)
  try {
    await steps()
  } finally {
    for (const signal of SIGNALS) process.off(signal, ignore)
  }
}

function ignore(): void {}

/** Resolves when the person presses Ctrl-C, or the system ends the program. */
export function untilInterrupted(interruption: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interruption.aborted) resolve()
    else interruption.addEventListener('abort', () => resolve(), { once: true })
  })
}
