// The mock as a server with a page: how soon it responds, how long a page of many invites takes, what requests leave behind.
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMockServer } from '../dist/mock/index.js'
import { judge, print, quantile } from './table.mjs'

const REQUESTS = Number(process.argv[2] ?? 200_000)
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const { gc } = globalThis
if (gc === undefined) throw new Error('run it with node --expose-gc')

const body = '{"query":"{ developerCertificationPackageTracks { slug packages { id } } }"}'
const create =
  'mutation ($input: DeveloperCreateCertificationInviteInput!) { developerCreateCertificationInvite(input: $input) { inviteId } }'

/* From the start of a process to the first response over HTTP, and to the first look at the page, beside an empty process. */

const folder = mkdtempSync(join(tmpdir(), 'certify-sandbox-'))
const mockUrl = new URL('../dist/mock/index.js', import.meta.url).href
const ask = (/** @type {string} */ path, /** @type {string} */ options) => `
import { request } from 'node:http'
import { createMockServer } from ${JSON.stringify(mockUrl)}
const mock = createMockServer()
const { url } = await mock.listen()
request(url + ${JSON.stringify(path)}, ${options}, (response) => response.resume().on('end', () => process.exit(response.statusCode === 200 ? 0 : 1))).end(${JSON.stringify(path === '/' ? '' : body)})
`
const programs = [
  { name: 'an empty node', text: '' },
  {
    name: 'the mock, its first response',
    text: ask(
      '/api/developer/graphql',
      "{ method: 'POST', headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey } }",
    ),
  },
  { name: 'the mock, its page', text: ask('/', '{}') },
].map(({ name, text }, index) => ({
  name,
  file: join(folder, `${index}.mjs`),
  text,
  took: /** @type {number[]} */ ([]),
}))
for (const { file, text } of programs) writeFileSync(file, text)
for (let round = -2; round < 30; round += 1) {
  for (const program of programs) {
    const since = performance.now()
    const { status } = spawnSync(process.execPath, [program.file], { stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) throw new Error(`${program.name} failed`)
    if (round >= 0) program.took.push(performance.now() - since)
  }
}
rmSync(folder, { recursive: true })
const empty = programs[0]?.took ?? []
const ratioOf = (/** @type {readonly number[]} */ took) => quantile(took.map((ms, round) => ms / (empty[round] ?? ms)))
print(
  'From the start of a process to a response: 30 rounds',
  ['', 'median', '× empty'],
  programs.map(({ name, took }) => [name, `${quantile(took).toFixed(0)} ms`, ratioOf(took).toFixed(2)]),
)
console.log()
judge('start to the first response', ratioOf(programs[1]?.took ?? []), 4)

/* A page of 10,000 invites. */

let created = 0

const mock = createMockServer()
const { url, endpoint } = await mock.listen()
for (let count = 0; count < 10_000; count += 1) await inProcess(count)
const looks = ['/', '/invites', '/invites?page=200', '/invites?q=c4321@', '/outbox', '/outbox?to=c9']
const rows = []
let slowest = 0
for (const path of looks) {
  const took = []
  let bytes = 0
  for (let round = -2; round < 20; round += 1) {
    const since = performance.now()
    bytes = (await exchange(url + path, 'GET')).length
    if (round >= 0) took.push(performance.now() - since)
  }
  slowest = Math.max(slowest, quantile(took))
  rows.push([
    path,
    `${quantile(took).toFixed(1)} ms`,
    `${quantile(took, 0.95).toFixed(1)} ms`,
    `${(bytes / 1000).toFixed(1)} kB`,
  ])
}
print('A page with 10,000 invites, over HTTP: 20 rounds', ['', 'median', 'p95', 'size'], rows)
console.log()
judge('the slowest page', Math.round(slowest), 1000, 'ms')

/* What an open page costs the clients: creates with one page open, beside creates without. */

const slower = []
for (const path of ['/', '/invites', '/invites?q=c4321@', '/outbox', '/requests']) {
  const [alone, watched] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])]
  for (let round = 0; round < 5; round += 1) {
    alone.push(await timeOf(400))
    const page = fork(join(import.meta.dirname, 'open-page.mjs'), [url, path])
    await once(page, 'message')
    watched.push(await timeOf(400))
    page.disconnect()
    await once(page, 'exit')
  }
  slower.push({ path, alone: quantile(alone), ratio: quantile(watched) / quantile(alone) })
}
print(
  '400 creates over HTTP after 10,000 others: 5 rounds',
  ['the open page', 'without it', 'with it'],
  slower.map(({ path, alone, ratio }) => [path, `${alone.toFixed(0)} ms`, `${ratio.toFixed(2)} ×`]),
)
console.log()
judge('creates with an open page, to those without', Math.max(...slower.map(({ ratio }) => ratio)), 1.5)

/* What one look costs, in creates: the request log is full, and some of its requests are new. */

mock.reset()
for (let count = 0; count < 5_000; count += 1) await inProcess(count)
/** @type {Map<string, number[]>} */
const costs = new Map(['create', '/__mock/health', '/', '/invites', '/requests'].map((path) => [path, []]))
for (let round = -3; round < 40; round += 1) {
  for (const [path, took] of costs) {
    const creates = path === 'create' ? 10 : 1
    const since = performance.now()
    if (path === 'create') await timeOf(creates)
    else await exchange(url + path, 'GET')
    if (round >= 0) took.push((performance.now() - since) / creates)
  }
}
const createMs = quantile(costs.get('create') ?? [])
const costOf = (/** @type {string} */ path) => quantile(costs.get(path) ?? []) / createMs
print(
  'One look after 5,000 invites, over HTTP: 40 rounds',
  ['', 'median', 'in creates'],
  Array.from(costs, ([path, took]) => [path, `${quantile(took).toFixed(2)} ms`, costOf(path).toFixed(1)]),
)
console.log()
judge('one view, in creates', Math.max(...['/', '/invites', '/requests'].map(costOf)), 20)
judge('the health, in creates', costOf('/__mock/health'), 6)
judge('the health', Math.round(quantile(costs.get('/__mock/health') ?? []) * 10) / 10, 5, 'ms')

/* What requests leave behind: the world does not grow by them, and the request log is full after the first thousand. */

mock.reset()
/** @type {number[]} */
const sizes = []
const batches = 10
for (let batch = 0; batch <= batches; batch += 1) {
  await Promise.all(Array.from({ length: 16 }, () => work(REQUESTS / batches / 16)))
  sizes.push(await heap())
}
await mock.close()
const SETTLED = 3
const growth = ((sizes.at(-1) ?? 0) - (sizes[SETTLED] ?? 0)) / ((REQUESTS / batches) * (batches - SETTLED))
print(
  `${(REQUESTS / batches).toLocaleString('en')} requests, ${batches + 1} times`,
  ['', 'heap after collection'],
  sizes.map((size, batch) => [`batch ${batch + 1}`, `${(size / 1e6).toFixed(2)} MB`]),
)
console.log()
judge(
  `growth after batch ${SETTLED + 1}, for a million requests at that rate`,
  Math.max(0, Math.round(growth * 10) / 10),
  10,
  'MB',
)
process.exit()

/** Requests one after the other: mostly to the endpoint, now and then to the page and the control API. */
async function work(/** @type {number} */ times) {
  for (let count = 0; count < times; count += 1) {
    if (count % 100 === 0) await exchange(`${url}/__mock/health`, 'GET')
    else if (count % 100 === 1) await exchange(`${url}/faults`, 'GET')
    else await exchange(endpoint, 'POST', body)
  }
}

/** @returns {Promise<unknown>} */
function inProcess(/** @type {number} */ count) {
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.apiKey }
  return mock.fetch(mock.endpoint, { method: 'POST', headers, body: invite(`c${count}`) })
}

/** How long so many creates take over HTTP, one after the other. */
async function timeOf(/** @type {number} */ creates) {
  const since = performance.now()
  for (let count = 0; count < creates; count += 1) {
    created += 1
    await exchange(endpoint, 'POST', invite(`n${created}`))
  }
  return performance.now() - since
}

function invite(/** @type {string} */ name) {
  const candidate = { name: `Candidate ${name}`, email: `${name}@example.com` }
  return JSON.stringify({ query: create, variables: { input: { quizId: 'quiz_react_beginner_state', candidate } } })
}

/** @returns {Promise<string>} */
function exchange(/** @type {string} */ address, /** @type {string} */ method, sent = '') {
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.apiKey }
  return new Promise((resolve, reject) => {
    const asked = request(address, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))))
    })
    asked.on('error', reject).end(sent)
  })
}

async function heap() {
  for (let round = 0; round < 4; round += 1) {
    gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}
