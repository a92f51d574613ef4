import { join } from 'node:path'

/** The folder of the project. */
export const repository = join(import.meta.dirname, '..')
