import { type Fetch, isCertifyError } from '../../src/index.ts'
import { codeOf } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { exitCodeOf } from '../exit-codes.ts'
import { wordError } from '../terminal/error-wording.ts'
import { formatDuration } from '../terminal/numbers.ts'
import { checkKey, type KeyCheck } from './check-key.ts'
import { type CheckResult, fail, pass, warn } from './check-result.ts'

/* A larger difference makes a certificate or an expiry look wrong. */
const MOST_SKEW_MS = 60_000

/** Checks the key and the clock at the service. */
export async function* checkService(context: Context): AsyncGenerator<CheckResult> {
  const { io } = context
  let date: string | null = null
  let failure: string | undefined
  const around =
    (fetch: Fetch): Fetch =>
    async (url, init) => {
      try {
        const response = await fetch(url, init)
        date = response.headers.get('date')
        return response
      } catch (error) {
        failure = codeOf(error)
        throw error
      }
    }
  try {
    const key = await checkKey(context, { around })
    yield* keyResults(key, failure, context)
    if (key.accepted === undefined && key.error.status === undefined) return
  } catch (error) {
    /* No client can be made from the settings. */
    if (!isCertifyError(error)) throw error
    const { message, hint } = wordError(error)
    yield fail('settings', message, hint, 2)
    return
  }
  yield clockResult(date, io.now())
}

function* keyResults(
  key: KeyCheck,
  connectionFailure: string | undefined,
  { io, place }: Context,
): Generator<CheckResult> {
  if (key.accepted !== true) {
    const { message, hint } = wordError(key.error, { flags: place().flags })
    const exitCode = exitCodeOf(key.error, io.interruption)
    yield connectionFailure?.startsWith('PROXY_') === true
      ? fail('proxy', `no connection through it (${connectionFailure})`, PROXY_HINT, exitCode)
      : fail(key.error.status === undefined ? 'connection' : 'key', message, hint, exitCode)
    return
  }
  yield pass('key', 'accepted')
  yield key.reads
    ? pass('scopes', 'may list tracks; creating was not tried')
    : warn(
        'scopes',
        'may not list tracks (CERTIFICATION_PACKAGE_READ); creating was not tried',
        'Nothing to do if this key is for creating invites only.',
      )
}

const PROXY_HINT = 'Check the user and password in its variable, and whether it allows this host.'

function clockResult(date: string | null, now: number): CheckResult {
  const skewMs = date === null ? Number.NaN : Date.parse(date) - now
  if (Number.isNaN(skewMs)) return warn('clock', 'the service does not report its time')
  const apart = formatDuration(Math.abs(skewMs) / 1000)
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return pass('clock', `in step with the service (${apart} apart)`)
  return warn(
    'clock',
    `this machine is ${apart} ${skewMs > 0 ? 'behind' : 'ahead of'} the service`,
    'Set the clock of this machine. certify bulk sends nothing if they are more than 5 min apart.',
  )
}
