export { createFetch } from './create-fetch.ts'
export type { FetchOptions } from './fetch-options.ts'
export { environmentProxy } from './proxy.ts'
