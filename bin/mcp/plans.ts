import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { CliError, codeOf, systemCode } from '../cli-error.ts'
import { stateFolder } from '../config/store.ts'
import type { Context } from '../context.ts'
import { makeFolder, replaceFile } from '../files.ts'
import type { Env } from '../io.ts'
import type { Plan } from './plan.ts'

interface Kept {
  readonly plan?: Plan
  readonly until: number
}

const APPROVED_MS = 15 * 60_000
const KEPT_MS = 24 * 60 * 60_000
const ID = /^plan_[\da-f-]{36}$/

/**
 * The plans of this user, each in a file that only they can read: the server may be restarted before a plan is sent, and
 * a person may approve it in another process. An approval is a file of its own, so that it cannot bring back a sent plan.
 */
export class Plans {
  readonly #env: Env
  readonly #now: () => number

  constructor({ io: { env, now } }: Pick<Context, 'io'>) {
    this.#env = env
    this.#now = now
  }

  get #folder(): string {
    return join(stateFolder(this.#env), 'plans')
  }

  /** Keeps a plan, and deletes the ones that are too old. @throws CliError */
  add(plan: Plan): string {
    const id = `plan_${randomUUID()}`
    this.#write(id, { plan, until: this.#now() + KEPT_MS })
    for (const name of readdirSync(this.#folder)) {
      const [other = ''] = name.split('.')
      if (this.find(other) === undefined) this.take(other)
    }
    return id
  }

  find(id: string): Plan | undefined {
    return this.#read(id)?.plan
  }

  /** Lets a plan be sent once within the next 15 minutes. @throws CliError */
  approve(id: string): void {
    this.#write(`${id}.approved`, { until: this.#now() + APPROVED_MS })
  }

  isApproved(id: string): boolean {
    return this.#read(id, '.approved') !== undefined
  }

  /** Ends a plan. Of several callers at once, in whatever process, one gets `true`. */
  take(id: string): boolean {
    if (!ID.test(id)) return false
    try {
      unlinkSync(join(this.#folder, id))
      return true
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      throw unkept(error)
    } finally {
      rmSync(join(this.#folder, `${id}.approved`), { force: true })
    }
  }

  #write(name: string, value: object): void {
    try {
      makeFolder(this.#folder)
      replaceFile(join(this.#folder, name), JSON.stringify(value))
    } catch (error) {
      throw unkept(error)
    }
  }

  #read(id: string, suffix = ''): Kept | undefined {
    if (!ID.test(id)) return undefined
    try {
      const value = JSON.parse(readFileSync(join(this.#folder, id + suffix), 'utf8')) as Kept
      return value.until > this.#now() ? value : undefined
    } catch {
      return undefined
    }
  }
}

function unkept(error: unknown): CliError {
  return new CliError(
    `the folder of plans cannot be used (${systemCode(error)}). Nothing was sent.`,
    'Correct the permissions of the state folder: XDG_STATE_HOME, by default ~/.local/state.',
    { code: 'CONFIG_INVALID' },
  )
}
