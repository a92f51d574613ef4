import type { NextConfig } from 'next'

export default {
  /* They are loaded as they are: one copy in a process, and the SQLite of the ledger is not bundled. */
  serverExternalPackages: ['certify-sdk', 'better-sqlite3'],
} satisfies NextConfig
