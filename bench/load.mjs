// Sends requests over open connections, as fast as the responses arrive. It reads no more of a response than
// its status and its length: CPU time that the client uses is taken from the server that is measured.
import { connect } from 'node:net'

const BREAK = Buffer.from('\r\n\r\n')

/**
 * @param {string} url
 * @param {{ headers: Record<string, string>, body: string, connections: number, seconds: number }} settings
 * @returns {Promise<{ perSecond: number, latenciesMs: number[] }>}
 */
export async function load(url, { headers, body, connections, seconds }) {
  const { hostname, port, pathname, host } = new URL(url)
  const fields = { host, ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = Buffer.from(`POST ${pathname} HTTP/1.1\r\n${head.join('')}\r\n${body}`)
  /** @type {number[]} */
  const latenciesMs = []
  const begin = performance.now()
  const end = begin + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, () => connection(Number(port), hostname, request, end, latenciesMs)),
  )
  return { perSecond: latenciesMs.length / ((performance.now() - begin) / 1000), latenciesMs }
}

/**
 * @param {number} port
 * @param {string} host
 * @param {Buffer} request
 * @param {number} end
 * @param {number[]} latenciesMs
 */
function connection(port, host, request, end, latenciesMs) {
  const socket = connect(port, host)
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    let since = 0
    let missing = 0
    let head = Buffer.alloc(0)
    const ask = () => {
      since = performance.now()
      socket.write(request)
    }
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('close', resolve)
    socket.on('data', (piece) => {
      if (missing === 0) {
        head = head.length === 0 ? piece : Buffer.concat([head, piece])
        const at = head.indexOf(BREAK)
        if (at < 0) return
        missing = bodyLength(head.toString('latin1', 0, at)) - (head.length - at - BREAK.length)
        head = Buffer.alloc(0)
      } else {
        missing -= piece.length
      }
      if (missing > 0) return
      const now = performance.now()
      latenciesMs.push(now - since)
      if (now < end) ask()
      else socket.destroy()
    })
  })
}

/** @param {string} head */
function bodyLength(head) {
  const [, length] = /^content-length: (\d+)$/im.exec(head) ?? []
  if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) throw new Error(`unexpected response: ${head}`)
  return Number(length)
}
