import { CertifyError } from '../../index.ts'
import { isIdentifier, option } from '../../option-rules.ts'
import { inputInvalid, optionsInvalid } from '../../refusals.ts'
import { closedOptions, once, rule, string, validate } from '../../validation.ts'
import { MOST_CHARACTERS } from '../rules/attempts.ts'
import type { SendInput } from '../rules/entry.ts'
import { copyOf, issuesOf } from '../rules/input.ts'
import { accountKey, emailKey } from '../rules/key.ts'
import { differences } from '../rules/outcome.ts'
import type { EnqueueOptions, Wish } from './wish.ts'

/** A wish to add to the outbox: an argument of its statement. */
export interface NewWish {
  readonly reference: string
  readonly account: string
  readonly emailKey: string
  readonly input: SendInput
  readonly ifInvited: 'refuse' | 'create'
  readonly campaign: string | undefined
  readonly notBefore: number | undefined
}

/** @throws CertifyError INPUT_INVALID or CONFIG_INVALID, outcome `not-executed` */
export function newWish(given: SendInput, options: EnqueueOptions): NewWish {
  const { issues } = validate(enqueueOptions(), options)
  if (issues !== undefined) throw optionsInvalid(OPERATION, issues)
  const problems = issuesOf(given)
  if (problems.length > 0) throw inputInvalid(OPERATION, problems)
  const input = copyOf(given)
  const { account, reference = crypto.randomUUID(), campaign, notBefore, ifInvited = 'refuse' } = options
  return {
    reference,
    account: accountKey(account),
    emailKey: emailKey(input.candidate.email),
    input,
    ifInvited,
    campaign,
    notBefore: notBefore?.getTime(),
  }
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed`, if a recorded wish is another one */
export function checkSame(wish: NewWish, recorded: Wish): void {
  const { input, account, ifInvited, reference } = wish
  const isSame =
    emailKey(recorded.input.candidate.email) === wish.emailKey &&
    differences(input, recorded.input).length === 0 &&
    recorded.account === account &&
    recorded.ifInvited === ifInvited
  if (isSame) return
  const issue = { path: 'reference', rule: 'must be new: the outbox has another wish with it' }
  throw new CertifyError({
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    operation: OPERATION,
    reference,
    message: `The options of ${OPERATION} are not valid: ${issue.path} ${issue.rule}. Nothing was enqueued.`,
    hint: 'Set another reference, or leave it out.',
    issues: [issue],
  })
}

const OPERATION = 'ledger.enqueue'

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''

const enqueueOptions = once(() =>
  closedOptions({
    account: string(rule(isText, 'must not be blank')),
    reference: option(
      (value) => isIdentifier(value) && value.length <= MOST_CHARACTERS,
      `must be 1 to ${MOST_CHARACTERS} letters, digits and _.+=-`,
    ),
    campaign: option(isText, 'must be a name that is not blank'),
    notBefore: option(
      (value) => value instanceof Date && !Number.isNaN(value.getTime()),
      'must be a Date with a valid time',
    ),
    ifInvited: option((value) => value === 'refuse' || value === 'create', 'must be refuse or create'),
  }),
)
