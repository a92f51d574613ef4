import { homedir } from 'node:os'
import { join } from 'node:path'
import { configError, systemCode } from '../cli-error.ts'
import type { Io } from '../io.ts'

/**
 * The URL with the settings of the service that it names, as in `postgres:///?service=hiring`. What the URL says itself
 * overrides them. The driver does not read service files, so this does.
 *
 * @throws CliError if the service file or the service is missing
 */
export function withService(io: Io, url: URL, origin: string): string {
  const name = url.searchParams.get('service')
  if (name === null) return url.href
  const { [name]: settings } = readServices(io)
  if (settings === undefined) {
    throw configError(
      `the service of the ledger URL (${origin}) is not in ${servicePath(io)}.`,
      'Add a section of this name with host, dbname and user, or set PGSERVICEFILE to the file that has it.',
    )
  }
  return urlOf(url, settings).href
}

type Settings = Readonly<Record<string, string>>

function urlOf(url: URL, settings: Settings): URL {
  const { host = 'localhost', port, user, password, dbname, ...others } = settings
  const all = new URL('postgres://localhost')
  /* A socket is a folder, which is no host of a URL. */
  const socket = url.host === '' && host.startsWith('/') ? { host } : {}
  all.host = url.hostname || (host.startsWith('/') ? 'localhost' : host)
  all.port = url.port || (port ?? '')
  all.username = url.username || encodeURIComponent(user ?? '')
  all.password = url.password || encodeURIComponent(password ?? '')
  all.pathname = url.pathname.length > 1 ? url.pathname : `/${encodeURIComponent(dbname ?? '')}`
  const params = { ...others, ...socket, ...Object.fromEntries(url.searchParams) }
  for (const [key, value] of Object.entries(params)) if (key !== 'service') all.searchParams.set(key, value)
  return all
}

function readServices(io: Io): Readonly<Record<string, Settings | undefined>> {
  const path = servicePath(io)
  let text: string
  try {
    text = io.readFile(path)
  } catch (error) {
    throw configError(
      `the service file ${path} cannot be read (${systemCode(error)}).`,
      'Set PGSERVICEFILE to its path, or write the host and the database into the URL of the ledger.',
    )
  }
  const services: Record<string, Record<string, string>> = {}
  let current: Record<string, string> | undefined
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    const [, section] = /^\[(.+)\]$/.exec(line) ?? []
    const [, key, value] = /^([\w-]+)\s*=\s*(.*)$/.exec(line) ?? []
    if (section !== undefined) services[section] = current = {}
    else if (key !== undefined && value !== undefined && current !== undefined) current[key] = value
  }
  return services
}

function servicePath({ env }: Io): string {
  return env['PGSERVICEFILE'] || join(env['HOME'] || homedir(), '.pg_service.conf')
}
