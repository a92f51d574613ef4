import { basename } from 'node:path'
import type { CampaignPlan, PlannedSends } from '../../../src/campaign/index.ts'
import { callbackHost, callbacksOf } from '../../callbacks/callback-urls.ts'
import type { LedgerPlace } from '../../config/ledger.ts'
import type { Context } from '../../context.ts'
import { checkAccount } from '../../ledger/check-account.ts'
import { type OpenLedger, openForSending } from '../../ledger/open-ledger.ts'
import type { BulkOptions } from '../options/bulk-options.ts'
import { InputFile } from '../read/input-file.ts'
import { DoubtfulAddresses } from './doubtful-addresses.ts'
import { type Comparison, NamedIds } from './unlisted.ts'

/** A plan with everything that is needed to send it. */
export interface BulkPlan {
  readonly name: string
  readonly baseUrl: string
  readonly input: InputFile
  readonly place: LedgerPlace
  readonly opened: OpenLedger
  readonly plan: CampaignPlan
  readonly comparison: Comparison
  /** The hosts that the events of the rows come to. */
  readonly callbackHosts: (sends: PlannedSends) => readonly string[]
  /** Whether the ledger has no entry for the account: then no candidate is recognised. */
  readonly isLedgerEmpty: boolean
  readonly doubts: DoubtfulAddresses
  /** The number of creates that were tried. */
  readonly creates: { count: number }
}

/**
 * Reads the file and plans its rows. No invite is sent.
 *
 * @param closing takes what must be closed in the end, also after a failure
 */
export async function planFile(
  context: Context,
  file: string,
  options: BulkOptions,
  place: LedgerPlace,
  closing: (() => unknown)[],
): Promise<BulkPlan> {
  const { io } = context
  const creates = { count: 0 }
  const withUrls = await callbacksOf(context, options)
  /* A plan reads the packages, also in a dry run, which never gets as far as a create. */
  const client = withUrls(
    await context.client('read', {
      hooks: {
        onAttempt: ({ operation }) => {
          if (operation.endsWith('.create')) creates.count += 1
        },
      },
    }),
  )
  const input = await InputFile.open(io, file, options)
  closing.push(() => input.close())
  const opened = await openForSending(context, place)
  closing.push(() => opened.ledger.close())
  const warning = await checkAccount(context, place, opened, [])
  if (warning !== undefined) await context.output.warn(warning)
  const { ledger, account, world } = opened
  const first = await ledger.list({ baseUrl: client.endpoint, account, world })[Symbol.asyncIterator]().next()
  const name = file === '-' ? 'stdin' : basename(file)
  const { planCampaign } = await import('../../../src/campaign/index.ts')
  const doubts = new DoubtfulAddresses()
  const planOptions = { client, ...opened, campaign: name, signal: io.interruption }
  const ids = new NamedIds()
  const plan = await planCampaign(doubts.noting(ids.watched(input.campaignRows())), planOptions)
  const comparison = await ids.compare(client, io.interruption)
  const baseUrl = context.connection().baseUrl.value ?? ''
  const host = callbackHost(context, options)
  const callbackHosts = ({ emails, callbackHosts: own }: PlannedSends) =>
    host === undefined || emails.sent + emails.notSent === 0 ? own : [host]
  const isLedgerEmpty = first.done === true
  return { name, baseUrl, input, place, opened, plan, callbackHosts, comparison, isLedgerEmpty, doubts, creates }
}
