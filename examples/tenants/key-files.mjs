// The keys of the tenants, each in a file of its own, as a mounted Kubernetes secret has them.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Reads the key each time: replace the file, and the next request has the new key. */
export const keyFiles = (folder) => async (tenant) => (await readFile(join(folder, tenant), 'utf8')).trim()
