import { readFileSync } from 'node:fs'

/* The kernel's own, where it gives one. Node.js loads all of its cryptography for this, which the CLI's start would feel. */
export function randomUuid(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/uuid', 'utf8').trim()
  } catch {
    return crypto.randomUUID()
  }
}
