import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allow, asUser, sql } from './server.mjs'
import { freePort, newFolder, Supervised } from './supervised.mjs'

/**
 * Starts a PgBouncer in front of a server. It has every database of the server.
 *
 * @param {Pick<import('./server.mjs').Postgres, 'url' | 'host' | 'port' | 'user' | 'password'>} postgres
 * @param {{ poolMode?: 'transaction' | 'statement' | 'session', poolSize?: number }} [options]
 */
export async function startPgBouncer(postgres, { poolMode = 'transaction', poolSize = 20 } = {}) {
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
    pool_mode: poolMode,
    default_pool_size: poolSize,
    max_client_conn: 1000,
    /* Of `pg` and JDBC; without this they are refused. */
    ignore_startup_parameters: 'extra_float_digits',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  const ini = join(folder, 'pgbouncer.ini')
  writeFileSync(ini, `[databases]\n* = host=${host} port=${postgres.port}\n[pgbouncer]\n${lines.join('')}`)
  allow(folder)

  const run = async () => {
    const server = new Supervised(folder, asUser(program, ini))
    await server.ready(() =>
      sql(urlOf(postgres.url), 'SELECT 1').then(
        () => true,
        () => false,
      ),
    )
    return server
  }
  /** The URL of a database, through PgBouncer. @param {string} url of the database on the server itself */
  const urlOf = (url) => {
    const through = new URL(url)
    through.port = String(port)
    return through.href
  }
  let server = await run()
  return {
    port,
    url: urlOf(postgres.url),
    urlOf,
    kill: () => server.end('KILL'),
    start: async () => {
      server = await run()
    },
    stop: async () => {
      await server.end('INT')
      remove()
    },
  }
}
