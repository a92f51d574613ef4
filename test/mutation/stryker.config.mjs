import { folder } from './folders.mjs'

export default {
  mutate: [`${folder}/*.ts`, '!mock-server/world/{catalogue,quizzes}.ts'],
  plugins: ['./test/mutation/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js'],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  concurrency: 1,
  disableTypeChecks: false,
  thresholds: { high: 95, low: 90, break: 85 },
  reporters: ['clear-text'],
  clearTextReporter: { allowEmojis: false, logTests: false, reportTests: false },
  ignorePatterns: ['bench', 'dist', 'test/package', 'test/runtimes'],
  allowConsoleColors: false,
}
