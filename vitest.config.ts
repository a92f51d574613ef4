import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/{src,bin,mock-server}/**/*.test.ts', 'test/*.test.ts'] } },
      ...['package', 'runtimes'].map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [`test/${name}/*.test.ts`],
          globalSetup: 'test/package/consumer.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      })),
    ],
  },
})
