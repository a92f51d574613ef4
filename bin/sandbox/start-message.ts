import { SANDBOX } from '../config/connection.ts'
import type { Env } from '../io.ts'
import { printable } from '../terminal/printable.ts'
import type { MockFlags } from './flags.ts'
import type { RunningMock } from './start-mock.ts'

export function startMessage({ mock, listener, sessions }: RunningMock, flags: MockFlags, env: Env): string {
  const { url, endpoint } = listener
  const { apiKeys, apiKey } = mock
  const program = startedByNpx(env) ? 'npx certify-sdk' : 'certify'
  const keys = apiKeys.map(({ name, key, scopes }) => {
    const lines = [key, ...(scopes.length === 0 ? ['no scope'] : scopes)]
    return `  ${printable(name).padEnd(8)}${lines.join(`\n${' '.repeat(10)}`)}`
  })
  const exports = `  export CERTIFY_BASE_URL=${url}\n${apiKey === '' ? '' : `  export CERTIFY_API_KEY=${apiKey}\n`}`
  const first = `  ${program} tracks list`
  const next =
    url === SANDBOX.baseUrl && apiKey === SANDBOX.key
      ? `${first} --profile ${SANDBOX.name}\n\nFor a program, or without the profile:\n\n${exports}`
      : `${exports}${first}\n`
  const kept = flags.ledger === undefined ? 'nothing is\nkept' : 'only the\nledger is kept'
  return `A mock of the certification service. Nothing here is real, and ${
    flags.exportOnExit === undefined ? `${kept} when it stops.` : 'its state goes\nto a file when it stops.'
  }

  endpoint  ${endpoint}
${flags.control ? `  page      ${url}/ (for your browser)\n` : ''}
In another terminal:

${next}
${keys.length === 0 ? 'This world has no API key.' : `Keys:\n\n${keys.join('\n')}`}
${sessions.length === 0 ? '' : `\n${SESSIONS}\n\n${sessions.map((each) => sessionLines(each, url)).join('\n')}\n`}
Stop it with Ctrl-C.
`
}

/** The addresses and keys of a session, as in the control API. */
export function sessionAddress(
  { id, apiKeys, adminSession }: RunningMock['sessions'][number],
  { url, endpoint }: RunningMock['listener'],
) {
  const baseUrl = `${url}/s/${id}`
  return { id, baseUrl, endpoint: baseUrl + endpoint.slice(url.length), apiKeys, adminSession }
}

const SESSIONS = 'Sessions, each with isolated state and keys that end with its name:'

function sessionLines({ id, apiKey }: RunningMock['sessions'][number], url: string): string {
  return `  ${url}/s/${id}${apiKey === '' ? '' : `\n          ${apiKey}`}`
}

/* If so, another terminal has no `certify` on its path. */
function startedByNpx(env: Env): boolean {
  return env['npm_command'] === 'exec'
}
