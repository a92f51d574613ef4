import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { CertifyClient } from '../../../src/index.ts'
import { createFetch } from '../../../src/node/index.ts'
import { startServer } from '../http-server.ts'

const LISTING = '{"data":{"developerCertificationPackageTracks":[]}}'

/* In a thread of its own, so that it keeps running while this one is blocked. */
const SERVICE = `
const { createServer } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
let connections = 0
createServer((socket) => {
  connections += 1
  const count = connections
  socket.on('error', () => {}).on('data', () => {
    socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: ${LISTING.length}\\r\\n\\r\\n${LISTING}', () => {
      if (count > 1) return parentPort.postMessage(count)
      Atomics.wait(workerData, 0, 0)
      socket[workerData[1] === 1 ? 'end' : 'resetAndDestroy']()
      setTimeout(() => {
        Atomics.store(workerData, 2, 1)
        Atomics.notify(workerData, 2)
      }, 20)
    })
  })
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port) })`

test.each([
  ['by FIN', 1],
  ['by RST', 2],
])('a connection that the service closed while this process was busy is not reused: %s', async (_how, how) => {
  /* When to close, how, and whether it is closed. */
  const shared = new Int32Array(new SharedArrayBuffer(12))
  shared[1] = how
  const service = new Worker(SERVICE, { eval: true, workerData: shared })
  onTestFinished(() => void service.terminate())
  const [port] = (await once(service, 'message')) as [number]
  const fetch = createFetch({ idleMs: 60_000 })
  const client = new CertifyClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'ck_1', fetch, retry: false })
  await client.tracks.list()
  Atomics.store(shared, 0, 1)
  Atomics.notify(shared, 0)
  Atomics.wait(shared, 2, 0)
  for (const count of [2, 2]) {
    const [[connections]] = await Promise.all([once(service, 'message'), client.tracks.list()])
    expect(connections).toBe(count)
  }
})

test('idleMs is how long an idle connection is kept: 0 keeps none', async () => {
  const { url, sockets } = await startCounting()
  const client = clientOf(url, 0)
  for (let count = 1; count <= 3; count += 1) await client.tracks.list()
  expect(sockets.size).toBe(3)
})

function clientOf(baseUrl: string, idleMs: number) {
  return new CertifyClient({ baseUrl, apiKey: 'ck_1', fetch: createFetch({ idleMs }) })
}

async function startCounting() {
  const sockets = new Set<unknown>()
  const { url } = await startServer((response) => {
    sockets.add(response.socket)
    response.end(LISTING)
  })
  return { url, sockets }
}
