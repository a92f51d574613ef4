import createInvite from '../../operations/create-invite.graphql?raw'
import createPackageInvite from '../../operations/create-package-invite.graphql?raw'
import packageTracks from '../../operations/package-tracks.graphql?raw'
import type { CertifyClient, CertifyError, Fetch } from '../../src/index.ts'
import type { Context } from '../context.ts'
import { exitCodeOf } from '../exit-codes.ts'
import { wordError } from '../terminal/error-wording.ts'
import { type Access, checkKey } from './check-key.ts'
import { type Finding, fail, pass } from './check-result.ts'

/* A clock that is further off makes a certificate or an expiry look wrong. */
const MOST_SKEW_MS = 60_000

/** Checks what the service says to this key, what time it has there, and whether its schema still has what is asked for. */
export async function* checkService(context: Context): AsyncGenerator<Finding> {
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
        failure = error instanceof Error && 'code' in error ? String(error.code) : undefined
        throw error
      }
    }
  const access = await checkKey(context, { around })
  yield* keyFindings(access, failure, io.interruption)
  if (access.error?.status === undefined && access.accepted === undefined) return
  yield skewFinding(date, io.now())
  yield await driftFinding(await context.client('read'), io.interruption)
}

function* keyFindings(
  { accepted, reads, error }: Access,
  connectionFailure: string | undefined,
  interruption: AbortSignal,
): Generator<Finding> {
  const failure = error === undefined ? undefined : { ...wordError(error), exitCode: exitCodeOf(error, interruption) }
  if (accepted !== true) {
    const { message = '', hint = '', exitCode = 1 } = failure ?? {}
    yield connectionFailure?.startsWith('PROXY_') === true
      ? fail('proxy', `no way through it (${connectionFailure})`, PROXY_HINT, exitCode)
      : fail('key', message, hint, exitCode)
    return
  }
  yield pass('key', 'accepted')
  yield reads === true
    ? pass('scopes', 'may list tracks; creating was not tried')
    : {
        check: 'scopes',
        state: 'warn',
        found: 'may not list tracks (CERTIFICATION_PACKAGE_READ); creating was not tried',
        hint: 'Nothing to do if this key is for creating invites only.',
      }
}

const PROXY_HINT = 'Check the user and password in its variable, and whether it lets this host through.'

function skewFinding(date: string | null, now: number): Finding {
  const skewMs = date === null ? Number.NaN : Date.parse(date) - now
  if (Number.isNaN(skewMs)) return { check: 'clock', state: 'warn', found: 'the service does not say what time it has' }
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return pass('clock', `${seconds} s apart`)
  const found = `this machine is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the service`
  return { check: 'clock', state: 'warn', found, hint: 'Set the clock of this machine.' }
}

/* graphql-js is loaded here and in the mock only. */
async function driftFinding(client: CertifyClient, signal: AbortSignal): Promise<Finding> {
  const { settle } = await import('../../src/index.ts')
  const { buildClientSchema, getIntrospectionQuery, parse, validate } = await import('graphql')
  const query = getIntrospectionQuery({ descriptions: false })
  const { ok, value, error } = await settle(
    client.request<Parameters<typeof buildClientSchema>[0]>(query, {}, { signal }),
  )
  if (!ok) return unchecked(HIDDEN.has(error.code) ? SHOWS_NONE : wordError(error).message)
  try {
    const schema = buildClientSchema(value)
    const documents = [packageTracks, createInvite, createPackageInvite]
    const faults = documents.flatMap((document) => validate(schema, parse(document))).map(({ message }) => message)
    if (faults.length === 0) return pass('schema', 'has everything that is asked for')
    const hint = 'Look for a newer version of this program.'
    return fail('schema', faults.join(' '), hint, 5)
  } catch {
    return unchecked(SHOWS_NONE)
  }
}

const SHOWS_NONE = 'the service does not show its schema'
const HIDDEN: ReadonlySet<string> = new Set<CertifyError['code']>(['API_ERROR', 'FORBIDDEN', 'BAD_USER_INPUT'])

function unchecked(why: string): Finding {
  return { check: 'schema', state: 'warn', found: `not checked: ${why}` }
}
