import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Starts the server. It ends with this process, or earlier with `stop`. */
export async function startServer() {
  const child = fork(`${import.meta.dirname}/server.mjs`)
  const [ready] = await once(child, 'message')
  const { port, tracks, invite } = /** @type {{ port: number, tracks: number, invite: number }} */ (ready)
  return { url: `http://127.0.0.1:${port}`, bytes: { tracks, invite }, stop: () => child.disconnect() }
}
