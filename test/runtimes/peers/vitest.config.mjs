import { defineConfig } from 'vitest/config'

/* Runs the tests of the repository against the installed package instead of its sources. */
const entries = { index: 'certify-sdk/mock', msw: 'certify-sdk/mock/msw', vitest: 'certify-sdk/mock/vitest' }

export default defineConfig({
  resolve: {
    alias: Object.entries(entries).map(([file, replacement]) => ({
      find: new RegExp(`^.*/mock-server/${file}\\.ts$`),
      replacement,
    })),
  },
  test: { include: ['test/**/*.test.ts'], testTimeout: 20_000 },
})
