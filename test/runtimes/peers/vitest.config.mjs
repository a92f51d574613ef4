import { defineConfig } from 'vitest/config'

/* Runs the tests of the repository against the installed package instead of its sources. */
const entries = {
  'mock-server/index': 'certify-sdk/mock',
  'mock-server/msw': 'certify-sdk/mock/msw',
  'mock-server/vitest': 'certify-sdk/mock/vitest',
  'src/index': 'certify-sdk',
}

export default defineConfig({
  resolve: {
    alias: Object.entries(entries).map(([file, replacement]) => ({
      find: new RegExp(`^.*/${file}\\.ts$`),
      replacement,
    })),
  },
  test: { include: ['test/**/*.test.ts'], testTimeout: 20_000 },
})
