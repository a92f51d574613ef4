// The mock as a server with a page: how soon it responds, how long a page of many invites takes, what requests leave behind.
import { spawnSync } from 'node:child_process'
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

const mock = createMockServer()
const { url, endpoint } = await mock.listen()
for (let count = 0; count < 10_000; count += 1) {
  await mock.fetch(mock.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
    body: JSON.stringify({
      query: create,
      variables: {
        input: {
          quizId: 'quiz_react_beginner_state',
          candidate: { name: `Candidate ${count}`, email: `c${count}@example.com` },
        },
      },
    }),
  })
}
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
