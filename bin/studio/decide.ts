import { isCertifyError } from '../../src/index.ts'
import type { Finding, LedgerRecord } from '../../src/ledger/index.ts'
import { createdAs, inviteFault, isLink, isTooMany } from '../ledger/resolve.ts'
import { MAX_NOTE_LENGTH, textFault } from '../text-fault.ts'
import { HttpError, type Studio } from './studio.ts'
import { settledText } from './words.ts'

let turn: Promise<unknown> = Promise.resolve()

/** Does what a form of the page asks for. One after the other, so that of two people the second sees what the first decided. */
export function decide(studio: Studio, path: string, body: unknown): Promise<object> {
  const act = ACTIONS[path]
  if (act === undefined) throw new HttpError(404, 'There is no such form.')
  const done = turn.then(() => act(studio, Object(body) as Given))
  turn = done.catch(() => {})
  return done
}

type Given = Readonly<Record<string, unknown>>

const ACTIONS: Readonly<Record<string, (studio: Studio, given: Given) => Promise<object>>> = {
  '/resolve': resolve,
  '/replay': replay,
}

async function resolve({ ledger, account, by }: Studio, given: Given): Promise<object> {
  const [reference, note, invites] = [textOf(given, 'reference'), textOf(given, 'note'), textOf(given, 'invites')]
  const record = await ledger.find(reference)
  if (record === undefined || (account !== undefined && record.account !== account)) {
    throw new HttpError(404, 'The ledger no longer has this record.')
  }
  const of = textOf(given, 'of')
  if (of === '') throw new HttpError(400, 'Say which create it is about.')
  /* The ledger compares the create itself; here only what the page then showed. */
  if (of === record.sentAt && record.state !== given['state'])
    throw new HttpError(409, `${settledText(record)} Nothing was changed.`)
  const about = { of, ...(by !== undefined && { by }), ...(note !== '' && { note }) }
  try {
    const { state } = await ledger.resolve(reference, { ...findingOf(given['decision'], invites, record), ...about })
    return { state }
  } catch (error) {
    if (!isCertifyError(error) || error.code !== 'INPUT_INVALID') throw error
    throw new HttpError(
      409,
      error.message.replace(/^ledger\.resolve: ./, (start) => start.slice(-1).toUpperCase()),
    )
  }
}

function findingOf(decision: unknown, invites: string, record: LedgerRecord): Finding {
  if (decision === 'undo') return { undo: true }
  if (decision === 'not-created') return { notCreated: true }
  if (decision !== 'created') throw new HttpError(400, 'Say what became of it.')
  /* A link may have commas. */
  const words = invites.split(/\s+/).flatMap((word) => (isLink(word) ? word.replace(/[,;]$/, '') : word.split(/[,;]/)))
  const named = [...new Set(words)].filter(Boolean)
  const fault = named.map(inviteFault).find((each) => each !== undefined)
  if (fault !== undefined) throw new HttpError(400, `What you gave ${fault}.`)
  const found = createdAs(named)
  if (isTooMany(found, record))
    throw new HttpError(400, 'This create was for a single invite: give one id, one link, or both.')
  return found
}

async function replay({ ledger, account, now }: Studio, given: Given): Promise<object> {
  const key = textOf(given, 'key')
  const event = await ledger.inbox.find(key)
  const isOwn = account === undefined || (event && (await ledger.find(event.reference))?.account === account)
  if (isOwn && (await ledger.inbox.replay(key, now()))) return {}
  throw new HttpError(404, 'The inbox no longer has this event.')
}

function textOf(given: Given, name: string): string {
  const value = given[name] ?? ''
  const fault = typeof value === 'string' ? textFault(value.trim(), MAX_NOTE_LENGTH) : 'must be text'
  if (typeof value !== 'string' || fault !== undefined) throw new HttpError(400, `${name} ${fault}`)
  return value.trim()
}
