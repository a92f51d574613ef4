import { closeSync, openSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FaultRule, MockServer, MockSnapshot, MockWorld } from '../../mock-server/index.ts'
import { cannotListen, CliError, systemCode } from '../cli-error.ts'
import { isLoopback } from '../../src/util/index.ts'
import { SANDBOX } from '../config/connection.ts'
import type { Context } from '../context.ts'
import type { MockFlags } from './flags.ts'
import type { ReportedProblem } from '../../mock-server/world/problems.ts'
import type { WorldFile } from './world-file.ts'
import type { Io } from '../io.ts'
import { readTextFile, refuseSpecialFile, replaceFile } from '../files.ts'
import { isJsonObject } from '../parsing.ts'

export type RunningMock = Awaited<ReturnType<typeof startMock>>

/** Creates a mock from its flags, and starts its server. Invalid flags are reported first. @throws CliError */
export async function startMock(context: Context, flags: MockFlags, port: number) {
  const { io, output } = context
  const controlToken = flags.control ? io.env[TOKEN_VARIABLE]?.trim() || undefined : undefined
  const state = readState(io, flags)
  const target = flags.exportOnExit === undefined ? undefined : new StateFile(flags.exportOnExit)
  const file = flags.world === undefined ? undefined : (await import('./world-file.ts')).readWorld(io, flags.world)
  const mock = await createMock(context, flags, file)
  try {
    await prepare(mock, flags, state)
    const { host, allowHost: allowHosts = [], control } = flags
    const where = { port: flags.port ?? port, control, allowHosts }
    const listener = await mock
      .listen({ ...where, ...(host !== undefined && { host }), ...(controlToken !== undefined && { controlToken }) })
      .catch((error: unknown) => {
        throw cannotListen(error, where.port, host, takenHint(where.port))
      })
    warnOfBlockedCallbacks(mock, context)
    if (host !== undefined && !isLoopback({ hostname: host === '::1' ? `[${host}]` : host.toLowerCase() }))
      await output.warn(exposureWarning(host, control, controlToken))
    return { mock, listener, exportState: () => target?.write(mock.snapshot()), close: () => mock.close() }
  } catch (error) {
    await mock.close()
    throw error
  }
}

const TOKEN_VARIABLE = 'CERTIFY_CONTROL_TOKEN'

async function createMock(context: Context, flags: MockFlags, file: WorldFile | undefined): Promise<MockServer> {
  const { createMockServer } = await import('../../mock-server/index.ts')
  const { seed, frozen, mapCallback = [], behaviour = [] } = flags
  const hosts = Object.fromEntries(mapCallback)
  /* A host named on the command line may be contacted. */
  const allow = Object.values(hosts).map((to) => new URL(to).hostname)
  try {
    const options = {
      ...(file && { world: file.world as MockWorld }),
      ...(seed !== undefined && { seed }),
      ...(frozen !== undefined && { now: frozen === true ? context.io.now() : frozen }),
      behaviour: behaviourOf(context.io, behaviour),
      callbacks: { hosts, allow },
    }
    return createMockServer(options)
  } catch (error) {
    if (error instanceof CliError) throw error
    const { problems } = error as { readonly problems?: readonly ReportedProblem[] }
    if (file && problems) throw (await import('./world-file.ts')).worldError(file, problems)
    throw flagError('--behaviour', 'docs/spec-gaps.md lists the switches and their settings.', error)
  }
}

/* A switch of its own wins over a file, wherever they stand. */
function behaviourOf(io: Io, given: NonNullable<MockFlags['behaviour']>): object {
  const files = given.filter(([, ...value]) => value.length === 0).map(([path]) => behaviourIn(io, path))
  return Object.assign({}, ...files, Object.fromEntries(given.filter(([, ...value]) => value.length > 0))) as object
}

/** The switches in a file. The mock checks them. @throws CliError */
function behaviourIn(io: Io, path: string): object {
  const failure = (reason: string): CliError =>
    new CliError(`--behaviour: the file ${path} ${reason}.`, 'Name a file that certify mock learn --out wrote.')
  const text = readTextFile(io, path, failure)
  try {
    const { behaviour, ...others } = Object(JSON.parse(text)) as { readonly behaviour?: unknown }
    if (isJsonObject(behaviour) && Object.keys(others).length === 0) return behaviour
  } catch {
    throw failure('is not JSON')
  }
  throw failure('has no { "behaviour": { … } }, or more than that')
}

/* Faults first: they apply to the pending deliveries of a restored state. */
async function prepare(mock: MockServer, flags: MockFlags, state: unknown): Promise<void> {
  const { fault = [], frozen } = flags
  for (const rule of fault) withFlagError('--fault', FAULT_HINT, () => mock.faults.add(rule as FaultRule))
  if (state === undefined) return
  withFlagError('--state', STATE_HINT, () => mock.restore(state as MockSnapshot))
  if (frozen === undefined) return
  await mock.clock.freeze(frozen === true ? undefined : frozen).catch((error: unknown) => {
    throw flagError('--frozen', 'The clock of a state has its own time: freeze it there or later.', error)
  })
}

const FAULT_HINT = 'Write a rule as for mock.faults.add: docs/testing.md has examples.'

/* The message is the mock's own. */
function withFlagError(flag: string, hint: string, step: () => unknown): void {
  try {
    step()
  } catch (error) {
    throw flagError(flag, hint, error)
  }
}

function flagError(flag: string, hint: string, error: unknown): CliError {
  return new CliError(`${flag}: ${error instanceof Error ? error.message : String(error)}`, hint)
}

function exposureWarning(host: string, control: boolean, token: string | undefined): string {
  const reach = `this mock listens on ${host}: anyone who can reach that address can use it, because its keys are documented.`
  if (!control) return reach
  return token === undefined
    ? `${reach} Its page and its control API are open too: set ${TOKEN_VARIABLE}, or give --no-control.`
    : `${reach} Its page and its control API require the token.`
}

/* The profile is for one address. */
function takenHint(port: number): string {
  const address = `http://127.0.0.1:${port}`
  const use = address === SANDBOX.baseUrl ? `--profile ${SANDBOX.name}` : `--base-url ${address}`
  return `A mock may be running there already: use it with ${use}, or start this one with --port 0.`
}

/* Many events may be blocked at once: the log is read once for all of them. */
const QUIET_MS = 100

/** Warns of each callback whose host is not allowed, sessions included. The path of its URL may be secret. */
function warnOfBlockedCallbacks(mock: MockServer, { io, output }: Pick<Context, 'io' | 'output'>): void {
  const followed = new Set<MockServer>()
  const follow = (each: MockServer): void => {
    if (followed.has(each)) return
    followed.add(each)
    let known: ReadonlySet<string> = new Set()
    let isWaiting = false
    const read = async (): Promise<void> => {
      await io.sleep(QUIET_MS)
      isWaiting = false
      const blocked = each.callbacks.list({ status: 'blocked' })
      const added = blocked.filter(({ id }) => !known.has(id))
      known = new Set(blocked.map(({ id }) => id))
      for (const { type, attempts } of added) await output.warn(`${type}: ${attempts.at(-1)?.error ?? 'blocked.'}`)
    }
    each.subscribe((parts) => {
      if (parts.includes('sessions')) each.sessions.forEach(follow)
      if (!parts.includes('callbacks') || isWaiting) return
      isWaiting = true
      void read()
    })
  }
  follow(mock)
  mock.sessions.forEach(follow)
}

/** Reads the initial state, not yet checked; `undefined` if there is none. @throws CliError */
function readState({ readFile }: Pick<Io, 'readFile'>, { state, exportOnExit }: MockFlags): unknown {
  if (state === undefined) return undefined
  try {
    return JSON.parse(readFile(state)) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new CliError(`the file of --state, ${state}, is not JSON.`, STATE_HINT)
    }
    const code = systemCode(error)
    /* If the state is written to the same file on exit, the first run finds none. */
    if (code === 'ENOENT' && exportOnExit !== undefined && resolve(exportOnExit) === resolve(state)) return undefined
    throw new CliError(
      `the file of --state, ${state}, cannot be read (${code}).`,
      'Check its path; to begin without it, give --export-on-exit the same file.',
    )
  }
}

const STATE_HINT = 'Name a file that --export-on-exit wrote, or one with what GET /__mock/state returned.'

/** The file for the state on exit. The constructor checks that it can be written. @throws CliError */
class StateFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
    try {
      refuseSpecialFile(path)
      const trial = `${path}.${process.pid}.${Date.now()}.trial`
      closeSync(openSync(trial, 'wx', 0o600))
      rmSync(trial)
    } catch (error) {
      throw new CliError(
        `the file of --export-on-exit, ${path}, cannot be written (${systemCode(error)}).`,
        'Name a file in a folder that exists and can be written to.',
      )
    }
  }

  /** Replaces the file atomically: a reader finds the old state or the new one. @throws CliError */
  write(state: unknown): void {
    try {
      replaceFile(this.path, `${JSON.stringify(state)}\n`)
    } catch (error) {
      throw new CliError(
        `the state could not be written to ${this.path} (${systemCode(error)}); it is lost, and what was there before is untouched.`,
        'Check the folder and the disk.',
        { code: 'OUTPUT_FAILED', exitCode: 1 },
      )
    }
  }
}
