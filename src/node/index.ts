export { createFetch } from './create-fetch.ts'
export type { FetchOptions, FetchTls, Pem } from './fetch-options.ts'
export { type EnvironmentProxy, environmentProxy } from './proxy.ts'
