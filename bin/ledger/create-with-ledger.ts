import type { CertifyClient, CertifyError } from '../../src/index.ts'
import type { GuardedCallOptions, GuardedClient } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { type LedgerFlags, type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import { oneOf } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { checkAccount } from './check-account.ts'
import { openForSending } from './open-ledger.ts'
import { RECORDED_LATE, resolveCommand, unrecorded, withCommandHints } from './resolve-hints.ts'

export interface LedgerCreateFlags extends LedgerFlags {
  readonly email: string
  readonly ifInvited?: string
  readonly ifUnknown?: string
  readonly allowClockSkew?: boolean
}

export const IF_INVITED = ['refuse', 'reuse', 'create'] as const
export const IF_UNKNOWN = ['refuse', 'create'] as const

export interface CreateResult<Invites> {
  readonly created: Invites
  /** Whether it is the recorded invite: nothing was sent then. */
  readonly isReused: boolean
  /** Whether a ledger has it, with its links. */
  readonly isRecorded: boolean
  /** To print after the invite: it was created, but the ledger could not record that, or only late. */
  readonly warning: string | undefined
}

/**
 * Creates with the ledger if it is turned on, else without. A dry run records nothing.
 *
 * @param withUrls what is made of the client for --callbacks
 * @throws CliError, CertifyError as `withLedger`, with hints in the words of the command line
 */
export async function createWithLedger<Invites>(
  context: Context,
  flags: LedgerCreateFlags,
  withUrls: (client: CertifyClient) => CertifyClient,
  create: (client: GuardedClient, options: GuardedCallOptions) => Promise<Invites>,
): Promise<CreateResult<Invites>> {
  const { io, client, program, preferences } = context
  const place = readLedgerPlace(io, program.root.opts(), flags)
  const isOn = place.turnedOnBy !== undefined
  if (!isOn) refuseLedgerFlags(flags)
  const { ifInvited, ifUnknown } = flags
  const options: GuardedCallOptions = {
    signal: io.interruption,
    ...(ifInvited !== undefined && { ifInvited: oneOf('--if-invited', ifInvited, IF_INVITED) }),
    ...(ifUnknown !== undefined && { ifUnknown: oneOf('--if-unknown', ifUnknown, IF_UNKNOWN) }),
  }
  if (isOn && !preferences.dryRun.value) return createRecorded(context, place, { options, flags, withUrls }, create)
  const { signal } = options
  const created = await create(withUrls(await client('write')), { signal })
  return { created, isReused: false, isRecorded: false, warning: undefined }
}

async function createRecorded<Invites>(
  context: Context,
  place: LedgerPlace,
  {
    options,
    flags,
    withUrls,
  }: {
    readonly options: GuardedCallOptions
    readonly flags: LedgerCreateFlags
    readonly withUrls: (client: CertifyClient) => CertifyClient
  },
  create: (client: GuardedClient, options: GuardedCallOptions) => Promise<Invites>,
): Promise<CreateResult<Invites>> {
  const { allowClockSkew } = flags
  let sent: string | undefined
  let unsettled: CertifyError | undefined
  const client = await context.client('write', {
    hooks: {
      onAttempt({ operation, reference }) {
        if (operation.endsWith('.create')) sent = reference
      },
    },
  })
  const opened = await openForSending(context, place)
  const { ledger, account, world } = opened
  const { withLedger } = await import('../../src/ledger/index.ts')
  const deadlineMs = context.connection().deadlineMs.value
  const onUnsettled = (error: CertifyError) => {
    unsettled = error
  }
  const late: string[] = []
  const onLate = (reference: string) => void late.push(reference)
  try {
    const warning = await checkAccount(context, place, opened, [flags.email])
    if (warning !== undefined) await context.output.warn(warning)
    const observers = { onUnsettled, onLate }
    const guarded = withLedger(withUrls(client), ledger, { account, world, deadlineMs, allowClockSkew, ...observers })
    return {
      created: await create(guarded, options),
      isReused: sent === undefined,
      isRecorded: unsettled === undefined,
      warning: unsettled
        ? `it was created. ${unrecorded(unsettled, resolveCommand(sent, place))}`
        : late.length > 0
          ? `it was created. ${RECORDED_LATE}`
          : undefined,
    }
  } catch (error) {
    throw await withCommandHints(error, place, {
      isReuse: options.ifInvited === 'reuse',
      unsettled,
      isLate: late.length > 0,
    })
  } finally {
    /* Everything is on the disk by now, or was reported: a failure here must not hide the created invite. */
    await ledger.close().catch(() => {})
  }
}

/* Such a flag means that the user expects a record. */
function refuseLedgerFlags({ ifInvited, ifUnknown, account, allowClockSkew }: LedgerCreateFlags): void {
  const flags = Object.entries({
    '--if-invited': ifInvited,
    '--if-unknown': ifUnknown,
    '--account': account,
    '--allow-clock-skew': allowClockSkew,
  })
  const [flag] = flags.find(([, value]) => value !== undefined) ?? []
  if (flag === undefined) return
  throw new CliError(
    `${flag} needs a ledger, and none is turned on. Nothing was sent.`,
    'Give --ledger, or set CERTIFY_LEDGER=yes.',
  )
}
