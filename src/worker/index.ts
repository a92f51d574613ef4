export { runWorker } from './run-worker.ts'
export type { WishEvent, WorkerEvent, WorkerOptions, WorkerSummary } from './worker-options.ts'
