import { ControlError, refuse } from '../../mock-server/control/control-errors.ts'
import type { JsonObject } from '../../mock-server/control/local-site.ts'
import { isCertifyError } from '../../src/index.ts'
import type { Finding, LedgerRecord } from '../../src/ledger/index.ts'
import { createdAs, inviteFault, isLink, isTooMany } from '../ledger/resolve.ts'
import { MAX_NOTE_LENGTH, textFault } from '../text-fault.ts'
import { recordOf, type Studio } from './studio.ts'
import { settledText } from './words.ts'

let turn: Promise<unknown> = Promise.resolve()

/** Records a decision. One after the other, so that of two people the second sees what the first decided. */
export function resolve(studio: Studio, given: JsonObject): Promise<object> {
  const done = turn.then(() => resolveOne(studio, given))
  turn = done.catch(() => {})
  return done
}

async function resolveOne(studio: Studio, given: JsonObject): Promise<object> {
  const { ledger, by } = studio
  const [reference, note, invites] = [textOf(given, 'reference'), textOf(given, 'note'), textOf(given, 'invites')]
  const record = await recordOf(studio, reference)
  if (record === undefined) return refuse('NOT_FOUND', 'The ledger no longer has this record.')
  const of = textOf(given, 'of')
  if (of === '') return refuse('BAD_REQUEST', 'Say which create it is about.')
  /* The ledger compares the create itself; here only what the page then showed. */
  if (of === record.sentAt && record.state !== given['state'])
    throw new ControlError({ status: 409, code: 'CONFLICT', message: `${settledText(record)} Nothing was changed.` })
  const about = { of, ...(by !== undefined && { by }), ...(note !== '' && { note }) }
  try {
    const { state } = await ledger.resolve(reference, { ...findingOf(given['decision'], invites, record), ...about })
    return { state }
  } catch (error) {
    if (!isCertifyError(error) || error.code !== 'INPUT_INVALID') throw error
    const message = error.message.replace(/^ledger\.resolve: ./, (start) => start.slice(-1).toUpperCase())
    throw new ControlError({ status: 409, code: 'CONFLICT', message })
  }
}

function findingOf(decision: unknown, invites: string, record: LedgerRecord): Finding {
  if (decision === 'undo') return { undo: true }
  if (decision === 'not-created') return { notCreated: true }
  if (decision !== 'created') return refuse('BAD_REQUEST', 'Say what became of it.')
  /* A link may have commas. */
  const words = invites.split(/\s+/).flatMap((word) => (isLink(word) ? word.replace(/[,;]$/, '') : word.split(/[,;]/)))
  const named = [...new Set(words)].filter(Boolean)
  const fault = named.map(inviteFault).find((each) => each !== undefined)
  if (fault !== undefined) return refuse('BAD_REQUEST', `What you gave ${fault}.`)
  const found = createdAs(named)
  if (isTooMany(found, record))
    return refuse('BAD_REQUEST', 'This create was for a single invite: give one id, one link, or both.')
  return found
}

/** Lets the receiver handle an event again. */
export async function replay(studio: Studio, given: JsonObject): Promise<object> {
  const { account, now } = studio
  const { inbox } = studio.ledger
  const key = textOf(given, 'key')
  const event = await inbox.find(key)
  const isShown = account === undefined || (event && (await recordOf(studio, event.reference)))
  if (isShown && (await inbox.replay(key, now()))) return {}
  return refuse('NOT_FOUND', 'The inbox no longer has this event.')
}

function textOf(given: JsonObject, name: string): string {
  const value = given[name] ?? ''
  const fault = typeof value === 'string' ? textFault(value.trim(), MAX_NOTE_LENGTH) : 'must be text'
  if (typeof value !== 'string' || fault !== undefined) return refuse('BAD_REQUEST', `${name} ${fault}`)
  return value.trim()
}
