/*
 * The main job, end to end: the bundled service on a free port, and the built CLI against it over real HTTP.
 *
 *   npm run demo
 */
// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../dist/bin/certify.cjs', import.meta.url))

const service = spawn(process.execPath, [cli, 'mock', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = await once(createInterface(service.stdout), 'line')
const { url, apiKeys } = JSON.parse(line)
/* Its invites stay out of the ledger of the person who runs it. */
const env = { ...process.env, CERTIFY_BASE_URL: url, CERTIFY_API_KEY: apiKeys[0].key, CERTIFY_LEDGER: ':memory:' }

try {
  say('A mock of the service runs on this machine; nothing here is real. What can be certified?')
  certify(0, 'tracks list')
  certify(0, 'tracks view react')

  say('One invite, for one quiz. The link is the candidate’s; the service would e-mail it.')
  certify(0, 'invites create --quiz-id quiz_react_beginner_state --email ada@example.com --name Ada')

  say('One invite for every skill of a package, or none at all.')
  certify(0, 'invites create --package-id pkg_react_beginner --email grace@example.com --no-send-email')

  say('A candidate who is already certified is refused: exit code 5, and nothing is created.')
  certify(5, 'invites create --package-id pkg_react_beginner --email marta.lindqvist@candidate.test')

  say('Next: set CERTIFY_BASE_URL and CERTIFY_API_KEY to the real service’s, and run the same commands.')
} finally {
  service.kill('SIGTERM')
  await once(service, 'close')
}

/**
 * Runs one command as a person would, and stops the demo when it does not end as expected.
 *
 * @param {number} expected
 * @param {string} command
 */
function certify(expected, command) {
  console.log(`$ certify ${command}`)
  const { status } = spawnSync(process.execPath, [cli, ...command.split(' ')], { env, stdio: 'inherit' })
  if (status !== expected) throw new Error(`it ended with ${status}, not with ${expected}`)
  console.log()
}

/** @param {string} text */
function say(text) {
  console.log(`# ${text}\n`)
}
