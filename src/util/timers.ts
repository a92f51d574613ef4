interface Timers {
  readonly setTimeout: (act: () => void, ms: number) => unknown
  readonly setImmediate?: (act: () => void) => unknown
}

/*
 * The timers of the plumbing, captured when this loads: fake timers replace the global ones, and some test environments
 * have no `setImmediate`. Only waits that a user can see go by the global ones: `systemClock`.
 */
const { process } = globalThis as { readonly process?: { getBuiltinModule?(id: string): Timers } }
const timers: Timers = process?.getBuiltinModule?.('node:timers') ?? globalThis
const { setTimeout, setImmediate = (act) => setTimeout(act, 0) } = timers

/** Waits for the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
