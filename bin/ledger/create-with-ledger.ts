import type { CallOptions, CertifyClient, CertifyError } from '../../src/index.ts'
import type { GuardedCallOptions, GuardedClient } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { type LedgerFlags, type LedgerPlace, readLedgerPlaceIfOn } from '../config/ledger.ts'
import { oneOf } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { openToSend } from './open-ledger.ts'
import { resolveCommand, unrecorded, withCommandHints } from './resolve-hints.ts'

/** The flags of a create that may go through the ledger. */
export interface LedgerCreateFlags extends LedgerFlags {
  readonly ifInvited?: string
  readonly ifUnknown?: string
}

export const IF_INVITED = ['refuse', 'reuse', 'create'] as const
export const IF_UNKNOWN = ['refuse', 'create'] as const

/** What a create gave. */
export interface Created<Answer> {
  readonly answer: Answer
  /** Whether it is what the ledger had: then nothing was sent. */
  readonly isReused: boolean
  /** What has to be said after it was printed: it was created, and the ledger could not record that. */
  readonly warning: string | undefined
}

/**
 * Creates through the ledger where one is turned on, else straight. A dry run records nothing.
 *
 * @throws CliError, CertifyError as `withLedger`, with hints in the words of the command line
 */
export async function createWithLedger<Answer>(
  context: Context,
  flags: LedgerCreateFlags,
  create: (client: GuardedClient, options: GuardedCallOptions) => Promise<Answer>,
): Promise<Created<Answer>> {
  const { io, client, program, preferences } = context
  const options: Pick<CallOptions, 'signal'> = { signal: io.interruption }
  const place = readLedgerPlaceIfOn(io, program.root.opts(), flags)
  if (place === undefined) refuseWithoutLedger(flags)
  const choices = choicesOf(flags)
  if (place !== undefined && !preferences.dryRun.value) {
    return createRecorded(context, place, choices.ifInvited === 'reuse', (guarded) =>
      create(guarded, { ...options, ...choices }),
    )
  }
  return { answer: await create(await client('write'), options), isReused: false, warning: undefined }
}

async function createRecorded<Answer>(
  context: Context,
  place: LedgerPlace,
  isReuse: boolean,
  create: (client: GuardedClient) => Promise<Answer>,
): Promise<Created<Answer>> {
  let sent: string | undefined
  let unsettled: CertifyError | undefined
  const client: CertifyClient = await context.client('write', {
    hooks: {
      onAttempt({ operation, reference }) {
        if (operation.endsWith('.create')) sent = reference
      },
    },
  })
  const { ledger, account, world } = await openToSend(context, place)
  const { withLedger } = await import('../../src/ledger/index.ts')
  const deadlineMs = context.connection().deadlineMs.value
  const onUnsettled = (error: CertifyError) => {
    unsettled = error
  }
  try {
    const answer = await create(withLedger(client, ledger, { account, world, deadlineMs, onUnsettled }))
    return {
      answer,
      isReused: sent === undefined,
      warning: unsettled && `it was created. ${unrecorded(unsettled, resolveCommand(sent, place))}`,
    }
  } catch (error) {
    throw await withCommandHints(error, place, { isReuse, unsettled })
  } finally {
    /* Everything is on the disk by now, or was reported already: a failure here must not hide what was created. */
    await ledger.close().catch(() => {})
  }
}

function choicesOf({ ifInvited, ifUnknown }: LedgerCreateFlags): Pick<GuardedCallOptions, 'ifInvited' | 'ifUnknown'> {
  return {
    ...(ifInvited !== undefined && { ifInvited: oneOf('--if-invited', ifInvited, IF_INVITED) }),
    ...(ifUnknown !== undefined && { ifUnknown: oneOf('--if-unknown', ifUnknown, IF_UNKNOWN) }),
  }
}

/* Whoever gives one of them believes that there is a record. */
function refuseWithoutLedger({ ifInvited, ifUnknown, account }: LedgerCreateFlags): void {
  const given = Object.entries({ '--if-invited': ifInvited, '--if-unknown': ifUnknown, '--account': account })
  const [flag] = given.find(([, value]) => value !== undefined) ?? []
  if (flag === undefined) return
  throw new CliError(
    `${flag} needs a ledger, and none is turned on. Nothing was sent.`,
    'Give --ledger, or set CERTIFY_LEDGER=yes.',
  )
}
