/*
 * The main job, end to end: the bundled service on a free port, and the built CLI against it over real HTTP.
 *
 *   npm run demo
 */
// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../dist/bin/certify.cjs', import.meta.url))

const service = spawn(process.execPath, [cli, 'mock', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = await once(createInterface(service.stdout), 'line')
const { url, apiKeys } = JSON.parse(line)
/* Its invites stay out of the ledger of the person who runs it. */
const folder = mkdtempSync(join(tmpdir(), 'certify-demo-'))
const env = {
  ...process.env,
  CERTIFY_BASE_URL: url,
  CERTIFY_API_KEY: apiKeys[0].key,
  CERTIFY_LEDGER: join(folder, 'demo.ledger'),
}

try {
  say('A mock of the service runs on this machine: no invite leaves it. What can be certified?')
  certify(0, 'tracks view react')

  say('One invite. The link is the candidate’s; the real service would e-mail it.')
  certify(0, 'invites create --quiz-id quiz_react_beginner_state --email ada@example.com')

  say('The same again, after a crash or by mistake: nothing is sent, and the first invite comes back.')
  certify(0, 'invites create --quiz-id quiz_react_beginner_state --email ada@example.com --if-invited reuse')

  say('The mock creates an invite for this address, and its response is lost: exit code 6.')
  certify(6, 'invites create --quiz-id quiz_react_beginner_state --email cut-after@candidate.test')

  say('The same again: nothing is sent until somebody has asked the candidate. Exit code 5.')
  certify(5, 'invites create --quiz-id quiz_react_beginner_state --email cut-after@candidate.test')
  certify(0, 'invites list')

  say('A candidate who is already certified is refused by the service: exit code 5, and nothing is created.')
  certify(5, 'invites create --package-id pkg_react_beginner --email marta.lindqvist@candidate.test')

  say('Next: run `npx certify mock`, and open the page that it names. docs/getting-started.md goes on from there.')
} finally {
  service.kill('SIGTERM')
  await once(service, 'close')
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Runs one command as a person would, and stops the demo when it does not end as expected.
 *
 * @param {number} expected
 * @param {string} command
 */
function certify(expected, command) {
  console.log(`$ npx certify ${command}`)
  const { status } = spawnSync(process.execPath, [cli, ...command.split(' ')], { env, stdio: 'inherit' })
  if (status !== expected) throw new Error(`it ended with ${status}, not with ${expected}`)
  console.log()
}

/** @param {string} text */
function say(text) {
  console.log(`# ${text}\n`)
}
