export { isUrl, NOT_EXPANDED, unexpandedIn } from './paths.ts'
