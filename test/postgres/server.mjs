import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, newFolder, Supervised } from './supervised.mjs'

/**
 * @typedef {object} PostgresOptions
 * @property {Readonly<Record<string, string | number>>} [settings] as in postgresql.conf; they override the test
 * defaults
 * @property {boolean} [tls] accepts TLS, with the certificate of test/certificates
 */

/**
 * @typedef {object} Postgres
 * @property {string} url of the database `postgres`, with its password
 * @property {string} host
 * @property {number} port
 * @property {string} user
 * @property {string} password
 * @property {string} folder its data are in `data`, its output is in `log`
 * @property {() => Promise<string>} createDatabase a new, empty database; resolves with its URL
 * @property {() => Promise<void>} kill ends it at once, as `pg_ctl stop -m immediate`
 * @property {() => Promise<void>} start starts it again, with the same data and port
 * @property {() => Promise<void>} stop ends it and removes its data
 */

/* Nothing is lost if the server is killed, only if the machine is. */
const FOR_TESTS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: 300,
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  log_min_messages: 'warning',
}

/**
 * Starts a separate PostgreSQL server: new data, a free port of 127.0.0.1 and a Unix socket. It ends with this process,
 * even if this process is killed.
 *
 * @param {PostgresOptions} [options]
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ settings = {}, tls = false } = {}) {
  const { folder, remove } = newFolder('postgres')
  const [host, user, password] = ['127.0.0.1', 'postgres', randomBytes(12).toString('hex')]
  const port = await freePort()
  const data = join(folder, 'data')
  writeFileSync(join(folder, 'password'), password)
  allow(folder)
  const [init, ...words] = asUser(program('initdb'), '-D', data, '-U', user, '--pwfile', join(folder, 'password'))
  const how = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions']
  execFileSync(init, [...words, ...how], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const all = {
    ...FOR_TESTS,
    ...(tls && { ssl: 'on', ...certificates(folder) }),
    listen_addresses: host,
    unix_socket_directories: folder,
    port,
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`)
  writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''))

  const url = `postgres://${user}:${password}@${host}:${port}/postgres`
  const run = async () => {
    const server = new Supervised(folder, asUser(program('postgres'), '-D', data))
    await server.ready(() => isReady(url))
    return server
  }
  let server = await run()
  return {
    url,
    host,
    port,
    user,
    password,
    folder,
    createDatabase: () => createDatabase(url),
    kill: () => server.end('QUIT'),
    start: async () => {
      server = await run()
    },
    stop: async () => {
      await server.end('QUIT')
      remove()
    },
  }
}

/** Creates a new, empty database on a server, and resolves with its URL. @param {string} url of the server */
export async function createDatabase(url) {
  const name = `test_${randomBytes(6).toString('hex')}`
  await sql(url, `CREATE DATABASE ${name}`)
  const database = new URL(url)
  database.pathname = name
  return database.href
}

/** Runs statements with psql, and resolves with their output. @param {string} url @param {string} statements */
export async function sql(url, statements) {
  const { password } = new URL(url)
  const where = new URL(url)
  where.password = ''
  const psql = execute(program('psql'), [where.href, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', statements], {
    env: { PATH: process.env['PATH'], PGPASSWORD: decodeURIComponent(password), PGCONNECT_TIMEOUT: '5' },
  })
  return (await psql).stdout.trim()
}

const execute = promisify(execFile)

/** Whether a server answers. @param {string} url */
function isReady(url) {
  return sql(url, 'SELECT 1').then(
    () => true,
    () => false,
  )
}

/* Debian keeps the server programs outside of the PATH. */
function program(/** @type {string} */ name) {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((one, other) => Number(other) - Number(one)) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...pathFolders()]
  const path = folders.map((folder) => join(folder, name)).find((each) => existsSync(each))
  if (path !== undefined) return path
  throw new Error(`${name} is not installed. These tests need a PostgreSQL server: apt-get install postgresql`)
}

function pathFolders() {
  return (process.env['PATH'] ?? '').split(delimiter)
}

/**
 * Wraps a command to run as a user who may run a server: PostgreSQL and PgBouncer refuse to run as root.
 *
 * @param {readonly [string, ...string[]]} command
 * @returns {readonly [string, ...string[]]}
 */
export function asUser(...command) {
  const other = otherUser()
  return other === undefined
    ? command
    : ['setpriv', `--reuid=${other.uid}`, `--regid=${other.gid}`, '--clear-groups', ...command]
}

/** Gives a folder to the user of {@link asUser}. @param {string} folder */
export function allow(folder) {
  const other = otherUser()
  if (other === undefined) return
  for (const name of readdirSync(folder)) chownSync(join(folder, name), other.uid, other.gid)
  chownSync(folder, other.uid, other.gid)
}

function otherUser() {
  if (process.getuid?.() !== 0) return undefined
  const id = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/* A key that others may read is refused. */
function certificates(/** @type {string} */ folder) {
  const own = join(folder, 'certificates')
  mkdirSync(own)
  for (const name of ['server.pem', 'server.key']) {
    copyFileSync(join(import.meta.dirname, '../certificates', name), join(own, name))
    chmodSync(join(own, name), 0o600)
  }
  allow(own)
  return { ssl_cert_file: join(own, 'server.pem'), ssl_key_file: join(own, 'server.key') }
}
