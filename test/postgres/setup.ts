import type { TestProject } from 'vitest/node'
import { type Postgres, startPostgres } from './server.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that all tests share: each file creates a database of its own in it, and none stops it. */
    readonly postgres: Omit<Postgres, 'createDatabase' | 'kill' | 'start' | 'stop'>
  }
}

/** Starts a PostgreSQL server, once for all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { createDatabase: _, kill: _kill, start: _start, stop, ...postgres } = await startPostgres()
  project.provide('postgres', postgres)
  return stop
}
