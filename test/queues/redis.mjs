import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { freePort, newFolder, Supervised } from '../postgres/supervised.mjs'

/**
 * Starts a separate Redis server, on a free port of 127.0.0.1. What it has acknowledged survives `kill` and `start`.
 */
export async function startRedis() {
  const isInstalled = (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, 'redis-server')))
  if (!isInstalled) throw new Error('redis-server is not installed. These tests need it: apt-get install redis-server')
  const { folder, remove } = newFolder('redis')
  const port = await freePort()
  const settings = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'no']
  const run = async () => {
    const server = new Supervised(folder, ['redis-server', '--port', String(port), ...settings])
    await server.ready(() => isReady(port))
    return server
  }
  let server = await run()
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill: () => server.end('KILL'),
    start: async () => {
      server = await run()
    },
    stop: async () => {
      await server.end('KILL')
      remove()
    },
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function isReady(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('+PONG'))
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.setTimeout(2000, () => socket.destroy())
  })
}
