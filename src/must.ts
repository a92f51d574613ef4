import type * as z from 'zod/mini'

/** A rule of our own for a value that has the right type already. Less to bundle than the checks that zod brings. */
export function must<T>(holds: (value: T) => boolean, rule: string): z.core.CheckFn<T> {
  return ({ value, issues }) => {
    if (!holds(value)) issues.push({ code: 'custom', input: value, message: rule })
  }
}
