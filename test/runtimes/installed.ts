import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { inject, onTestFinished } from 'vitest'

/** The path of what is installed for these tests. */
export const installed = (path: string): string => join(import.meta.dirname, 'packages/node_modules', path)

/** Links an installed package beside certify-sdk until the test ends. */
export function install(from: string, name = from): void {
  const target = join(inject('consumer'), 'node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(installed(from), target)
  onTestFinished(() => rmSync(target))
}

/** Starts workerd with the config.capnp of a folder until the test ends, and returns its address. */
export async function serveWorker(folder: string): Promise<string> {
  const worker = spawn(installed('workerd/bin/workerd'), ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  onTestFinished(() => void worker.kill())
  const [line] = (await once(createInterface(worker.stdio[3] as Readable), 'line')) as [string]
  return `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`
}
