// One client in its own process, as in real use: how long its calls take once it is warm.
import { CLIENTS } from './clients.mjs'
import { quantile } from './table.mjs'

const WARM_UP = 1000
const CALLS = 1500

const [url = '', operation = '', name = ''] = process.argv.slice(2)
/** @type {Record<string, (url: string) => Promise<Record<string, () => Promise<unknown>>>>} */
const clients = CLIENTS
const call = (await clients[name]?.(url))?.[operation]
if (call === undefined) throw new Error('no such call')
for (let number = 0; number < WARM_UP; number += 1) await call()
const took = []
const cpu = process.cpuUsage()
for (let number = 0; number < CALLS; number += 1) {
  const since = performance.now()
  await call()
  took.push(performance.now() - since)
}
const { user, system } = process.cpuUsage(cpu)
process.send?.({ median: quantile(took), p95: quantile(took, 0.95), cpuMs: (user + system) / 1000 / CALLS })
process.disconnect?.()
