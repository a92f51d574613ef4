const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Does what must come to its end: meanwhile a signal ends this program only where somebody else listens for it. Whoever
 * stops programs often does it twice: a terminal does, and then the program that has started this one.
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
