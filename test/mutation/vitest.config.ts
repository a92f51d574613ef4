import { defineConfig } from 'vitest/config'

/* The tests that hold a world to its rules. Properties are left out: there is chance in them, and a score has to repeat. */
const RULES = [
  'access',
  'callbacks',
  'candidate',
  'challenge',
  'delivery',
  'behaviour-switches',
  'invites',
  'options',
  'package-invites',
  'rules',
  'snapshot',
  'timeline',
  'tracks',
  'world',
]

export default defineConfig({
  test: {
    include: RULES.map((name) => `test/mock-server/${name}.test.ts`),
    /* One load of the modules for all files: half the time. */
    isolate: false,
  },
})
