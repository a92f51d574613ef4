// An open page of the sandbox, without a browser: it fetches itself again after a change, with the rests of pages/assets/live.js.
import { Agent, get } from 'node:http'

const [base = '', path = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
let isStale = false
let isLoading = false

get(`${base}/__mock/events`, (stream) => {
  process.send?.('ready')
  stream.on('data', () => void refresh())
})

async function refresh() {
  isStale = true
  if (isLoading) return
  isLoading = true
  while (isStale) {
    isStale = false
    const since = performance.now()
    await new Promise((resolve, reject) => {
      get(base + path, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject)
    })
    const restMs = Math.min(3 * (performance.now() - since), 2000)
    await new Promise((resolve) => setTimeout(resolve, restMs))
  }
  isLoading = false
}

process.on('disconnect', () => process.exit())
