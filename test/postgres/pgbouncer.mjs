import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allow, asUser, sql } from './server.mjs'
import { freePort, newFolder, Supervised } from './supervised.mjs'

/**
 * Starts a PgBouncer in transaction mode in front of a server. It exposes every database of the server.
 *
 * @param {Pick<import('./server.mjs').Postgres, 'url' | 'host' | 'port' | 'user' | 'password'>} postgres
 */
export async function startPgBouncer(postgres) {
  const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((each) =>
    existsSync(each),
  )
  if (program === undefined)
    throw new Error('pgbouncer is not installed. These tests need it: apt-get install pgbouncer')
  const { folder, remove } = newFolder('pgbouncer')
  const port = await freePort()
  const { host, user, password } = postgres
  writeFileSync(join(folder, 'users'), `"${user}" "${password}"\n`, { mode: 0o600 })
  const settings = {
    listen_addr: host,
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    /* How soon it reconnects to a server that crashed, in seconds. */
    server_login_retry: 1,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  const ini = join(folder, 'pgbouncer.ini')
  writeFileSync(ini, `[databases]\n* = host=${host} port=${postgres.port}\n[pgbouncer]\n${lines.join('')}`)
  allow(folder)

  /** The URL of a database, through PgBouncer. @param {string} url of the database on the server itself */
  const urlOf = (url) => {
    const through = new URL(url)
    through.port = String(port)
    return through.href
  }
  const server = new Supervised(folder, asUser(program, ini))
  await server.ready(() =>
    sql(urlOf(postgres.url), 'SELECT 1').then(
      () => true,
      () => false,
    ),
  )
  return {
    url: urlOf(postgres.url),
    urlOf,
    stop: async () => {
      await server.end('INT')
      remove()
    },
  }
}
