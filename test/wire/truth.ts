import { seenOf } from './responses.ts'
import { ASSUMPTIONS, type Assumption } from './assumptions.ts'
import { FIELD, type WireInvite } from './bodies.ts'
import type { CallRecord } from './record.ts'
import type { Scenario, Told } from './scenario.ts'
import type { Step } from './service.ts'

/** A broken promise. */
export type Breach =
  /** `not-executed` for an executed create, or somebody else's invite. */
  | 'lie'
  /** A request after one that was executed. */
  | 'repeat'
  /** `executed` although no response showed it. */
  | 'overclaim'
  /** No invite although the response was valid. */
  | 'loss'

export interface Judgement {
  readonly breaches: readonly Breach[]
  /** The assumptions without which there would be a breach. */
  readonly excuses: readonly Assumption[]
}

/** Checks what a caller was told against what the service did. */
export function judge(record: CallRecord, scenario: Scenario, told: Told): Judgement {
  const { steps, mustSucceed } = scenario
  const used = Array.from({ length: record.requests }, (_each, index) => steps[Math.min(index, steps.length - 1)])
  const breaches: Breach[] = []
  const excuses: Assumption[] = []
  const accuse = (breach: 'lie' | 'repeat') => {
    const executing = used.filter((step) => step !== undefined && step.executes !== 'never')
    /* A response may precede the request: then its own step decides. */
    const judged = executing.length > 0 ? executing : steps.slice(0, 1)
    const found = judged.map((step) => excuseOf(breach, step, record.invite, scenario))
    if (found.includes(undefined)) breaches.push(breach)
    else excuses.push(...new Set(found.filter((each) => each !== undefined)))
  }
  if (told.outcome === 'not-executed' && record.executed.length > 0) accuse('lie')
  if (told.outcome === 'created' && told.inviteId?.startsWith(record.prefix) !== true) accuse('lie')
  if (record.executed.length > 1 || record.requestsAfterExecution > 0) accuse('repeat')
  if (told.outcome === 'executed' && !showsResult(used.at(-1), record.invite)) breaches.push('overclaim')
  if (told.outcome !== 'created' && mustSucceed === true) breaches.push('loss')
  return { breaches, excuses }
}

function excuseOf(breach: 'lie' | 'repeat', step: Step | undefined, invite: WireInvite, scenario: Scenario) {
  /* Odd treatment of a connection excuses nothing. */
  if (step === undefined || typeof step.response === 'function') return undefined
  const seen = seenOf(step.response, invite, scenario.way)
  return seen && ASSUMPTIONS.find(({ excuses, holds }) => excuses === breach && holds(seen, scenario))
}

/* Whether a response to this step shows that something was executed. */
function showsResult(step: Step | undefined, invite: WireInvite): boolean {
  if (step === undefined || typeof step.response === 'function') return true
  try {
    const { data } = JSON.parse(step.response.body.textFor(invite)) as { data: Record<string, unknown> }
    return (data[FIELD] ?? null) !== null
  } catch {
    return false
  }
}
