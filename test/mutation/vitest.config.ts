import { defineConfig } from 'vitest/config'
import { tests } from './folders.mjs'

export default defineConfig({
  /* One load of the modules for all files: half the time. */
  test: { include: tests, isolate: false, testTimeout: 20_000 },
})
