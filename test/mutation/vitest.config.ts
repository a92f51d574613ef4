import { defineConfig } from 'vitest/config'

/** The tests that hold a world to its rules. Those with chance in them are left out: a score has to repeat. */
export default defineConfig({
  test: {
    include: ['test/mock-server/*.test.ts'],
    exclude: [
      'test/mock-server/*.property.test.ts',
      'test/mock-server/{documents,examples,fault-chances,fault-rules,faults,fetch,journal,listen,msw,over-http}.test.ts',
    ],
    isolate: false,
  },
})
