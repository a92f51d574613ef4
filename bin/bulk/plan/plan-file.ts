import { basename } from 'node:path'
import type { CampaignPlan } from '../../../src/campaign/index.ts'
import type { Fetch } from '../../../src/index.ts'
import type { LedgerFlags, LedgerPlace } from '../../config/ledger.ts'
import type { Context } from '../../context.ts'
import { type OpenedLedger, openToSend } from '../../ledger/open-ledger.ts'
import { Source } from '../read/input-bytes.ts'
import { type InputFileOptions, Reading } from '../read/input-file.ts'
import type { OutputOptions } from '../report/outputs.ts'

/** What `certify bulk` is asked to do. */
export interface BulkOptions extends InputFileOptions, OutputOptions, LedgerFlags {
  readonly skipInvalid: boolean
  readonly concurrency?: number
  readonly ratePerSecond?: number
  readonly maxFailures?: number
  readonly ifUnknown: 'refuse' | 'create'
}

/** Everything that a run needs. */
export interface Prepared {
  readonly name: string
  readonly source: Source
  readonly reading: Reading
  readonly place: LedgerPlace
  readonly opened: OpenedLedger
  readonly plan: CampaignPlan
  /** Whether nothing is on record yet for the account: then nobody is recognised. */
  readonly isLedgerEmpty: boolean
  readonly requests: Requests
}

/**
 * Everything up to the plan. Nothing of it sends an invite.
 *
 * @param closing takes in what has to be closed in the end, whether or not this succeeds
 */
export async function prepare(
  context: Context,
  file: string,
  options: BulkOptions,
  place: LedgerPlace,
  closing: (() => unknown)[],
): Promise<Prepared> {
  const { io } = context
  const requests = new Requests()
  /* A plan asks for the packages in a dry run too. That one never gets as far as a create. */
  const client = await context.client('read', { around: (fetch) => requests.counted(fetch) })
  const source = new Source(io, file, options.failedOut !== undefined)
  closing.push(() => source.close())
  const reading = await Reading.open(source, options)
  const opened = await openToSend(context, place)
  closing.push(() => opened.ledger.close())
  const isLedgerEmpty = await isEmpty(opened, client.endpoint)
  const name = file === '-' ? 'stdin' : basename(file)
  const { planCampaign } = await import('../../../src/campaign/index.ts')
  const signal = io.interruption
  const plan = await planCampaign(reading.campaignRows(), { client, ...opened, campaign: name, signal })
  closing.push(() => plan.close())
  requests.count = 0
  return { name, source, reading, place, opened, plan, isLedgerEmpty, requests }
}

async function isEmpty({ ledger, account, world }: OpenedLedger, baseUrl: string): Promise<boolean> {
  const { done } = await ledger.list({ baseUrl, account, world })[Symbol.asyncIterator]().next()
  return done === true
}

/* How many requests have left. */
class Requests {
  count = 0

  counted(fetch: Fetch): Fetch {
    return (url, init) => {
      this.count += 1
      return fetch(url, init)
    }
  }
}
