export { isUrl, NOT_EXPANDED, unexpandedIn } from './paths.ts'
export { parsePostgresUrl, schemaIn, shownPostgresUrl } from './postgres-url.ts'
export { isLoopback } from './url.ts'
