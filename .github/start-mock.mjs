// The step of action.yml: starts the mock, and ends when it listens. The mock runs on until the job ends.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const {
  RUNNER_TEMP = '.',
  GITHUB_ENV = '',
  GITHUB_OUTPUT = '',
  MOCK_VERSION,
  MOCK_PORT = '4010',
  MOCK_FLAGS = '',
} = process.env

const log = join(RUNNER_TEMP, 'certify-mock.log')
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const isInstalled = !MOCK_VERSION && existsSync('node_modules/certify-sdk')
const name = isInstalled ? 'certify-sdk' : `certify-sdk@${MOCK_VERSION || version}`
/* One flag a line; what follows its name is its value, spaces and quotes included. */
const flags = MOCK_FLAGS.split('\n')
  .flatMap((line) => line.trim().split(/\s+(.*)/, 2))
  .filter(Boolean)
const mock = spawn('npx', ['--yes', name, 'mock', '--json', '--port', MOCK_PORT, ...flags], {
  detached: true,
  shell: process.platform === 'win32',
  stdio: ['ignore', 'pipe', openSync(log, 'w')],
})

mock.on('error', (error) => fail(error.message))
mock.on('exit', () => fail(readFileSync(log, 'utf8')))
createInterface(mock.stdout).once('line', (line) => {
  const { url, apiKeys } = JSON.parse(line)
  /* A world may have no key. */
  const [first] = apiKeys
  appendFileSync(GITHUB_ENV, `CERTIFY_BASE_URL=${url}\n${first ? `CERTIFY_API_KEY=${first.key}\n` : ''}`)
  appendFileSync(GITHUB_OUTPUT, `url=${url}\n${first ? `api-key=${first.key}\n` : ''}pid=${mock.pid}\n`)
  console.log(`A mock of the certification service listens on ${url}.`)
  process.exit()
})

/** @param {string} reason */
function fail(reason) {
  console.error(`The mock did not start.\n${reason}`)
  process.exit(1)
}
