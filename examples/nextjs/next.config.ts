import type { NextConfig } from 'next'

export default {
  /* These are not bundled: there is one copy per process, and the ledger's SQLite loads. */
  serverExternalPackages: ['certify-sdk', '@photostructure/sqlite'],
} satisfies NextConfig
