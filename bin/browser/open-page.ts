import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError, systemCode } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { openerOf } from './opener.ts'

/** Opens an address that is no secret. @throws CliError */
export async function openAddress(io: Io, url: string): Promise<void> {
  const opener = openerOf(url, io.env, io.stderr.isTTY)
  const ended = await io.run(opener)
  if ('failure' in ended) throw notOpened(opener.program, ended.failure)
  if (ended.exitCode !== 0) throw notOpened(opener.program, `exit code ${ended.exitCode}`)
}

/**
 * Opens a link that is a secret: the arguments have only the path of a file, which sends the browser on. Only the user can
 * read the file. It is deleted when the browser has had time to read it.
 *
 * @throws CliError
 */
export async function openSecretLink(io: Io, link: string): Promise<void> {
  /* From here on a signal does not end the program: the file is deleted first. */
  const { interruption } = io
  let folder: string
  try {
    folder = mkdtempSync(join(tmpdir(), 'certify-open-'))
  } catch (error) {
    throw new CliError(
      `no file can be made in ${tmpdir()} (${systemCode(error)}).`,
      'Set TMPDIR to a folder that can be written to, or give --print.',
    )
  }
  try {
    const path = join(folder, 'open.html')
    writeFileSync(path, forwardingPage(link), { mode: 0o600, flag: 'wx' })
    await openAddress(io, path).catch((error: unknown) => {
      /* Ctrl-C ends a browser in the terminal too. */
      if (!interruption.aborted) throw error
    })
    await Promise.race([io.sleep(READING_MS), aborted(interruption)])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/* A browser that has to start first takes some seconds. */
export const READING_MS = 10_000

/* Without a script, and without telling the service where it came from. */
function forwardingPage(link: string): string {
  const target = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${target}">
<title>certify open</title>
`
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function notOpened(program: string, reason: string): CliError {
  return new CliError(
    `${program} did not open it (${reason}).`,
    'Give --print to print the address instead, or set BROWSER to another program.',
    { code: 'COMMAND_NOT_RUN' },
  )
}
