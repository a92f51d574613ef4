import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMockServer } from '../../mock-server/index.ts'
import { type CampaignSummary, planCampaign, runCampaign } from '../../src/campaign/index.ts'
import type { Fetch } from '../../src/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { type Runtime, systemClock } from '../../src/clock.ts'
import { clientBy } from '../src/clock.ts'
import { standingClock } from '../src/ledger/setting.ts'
import { type FetchName, openFetch } from './fetches.ts'
import { type OutageFault, startFront } from './outage-front.ts'

/** A campaign over a service that is down for a while, perhaps more than once. */
export interface OutageScenario {
  readonly fault: OutageFault
  /** The creates at which an outage begins, from 1; 0: before the run. */
  readonly begins: readonly number[]
  readonly lastsMs: number
  readonly rows: number
  readonly concurrency: number
  readonly fetch: Extract<FetchName, 'global' | 'command line'>
}

/** What became of its rows, by the service's records. */
export interface OutageFigures {
  readonly scenario: OutageScenario
  readonly outages: number
  /** Each run completes or ends with the outage; the next one resumes. */
  readonly runs: number
  readonly unknown: number
  readonly bound: number
  /** Rows with more than one invite. */
  readonly duplicates: number
  /** Rows without an invite that are not unknown. */
  readonly notSent: number
  /** Rows that were reported as something else. */
  readonly falsehoods: number
}

const MAX_OUTAGE_MS = 600_000
const emailOf = (row: number) => `row-${row}@example.com`
const INPUT = { quizId: 'quiz_react_beginner_state' }

/** Runs it until all rows are done. */
export async function runOutage(scenario: OutageScenario): Promise<OutageFigures> {
  const { fault, lastsMs, rows, concurrency } = scenario
  const folder = mkdtempSync(join(tmpdir(), 'certify-outage-'))
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const clock = standingClock()
  const begins = [...scenario.begins]
  let outages = 0
  let endsAt = 0
  const begin = async () => {
    begins.shift()
    outages += 1
    endsAt = clock.now() + lastsMs
    await front.begin(fault)
  }
  const front = await startFront(mock, fault.breaksTls === true, (creates) => {
    return front.fault === undefined && creates >= (begins[0] ?? Number.POSITIVE_INFINITY) ? begin() : undefined
  })
  /* Waiting advances the time, which ends the outage. */
  const startTimer = (ms: number, ring: () => void) =>
    clock.startTimer(ms, () => {
      if (front.fault !== undefined && clock.now() >= endsAt) void front.end().then(ring)
      else ring()
    })
  const ledger = await openLedger(join(folder, 'invites.ledger'), { clock: { now: clock.now, startTimer } })
  const opened = openFetch(scenario.fetch, { secure: fault.breaksTls === true, keeps: true })
  const send: Fetch = opened.fetch ?? ((url, init) => fetch(url, init))
  const runtime = fault.isSilent === true ? timeOutIf(() => front.fault !== undefined) : systemClock
  const client = clientBy(runtime, {
    baseUrl: front.url,
    apiKey: mock.apiKey,
    ledger,
    /* The mock's clock stands still. */
    allowClockSkew: true,
    /* Long enough for a busy machine. */
    timeoutMs: 20_000,
    fetch: (url, init) =>
      send(front.fault?.isUnresolved === true ? url.replace('127.0.0.1', 'down.invalid') : url, init),
  })
  const campaign = Array.from({ length: rows }, (_each, index) => ({
    input: { ...INPUT, candidate: { email: emailOf(index + 1) } },
  }))
  const told = new Map<number, string>()
  let [runs, falsehoods] = [0, 0]
  const runOnce = async (): Promise<CampaignSummary | undefined> => {
    const plan = await planCampaign(campaign, { client })
    /* Only after the mock's world is known: it is not asked for during an outage that looks like another service. */
    if (begins[0] === 0) await begin()
    let summary: CampaignSummary | undefined
    for await (const event of runCampaign(plan, { concurrency, maxOutageMs: MAX_OUTAGE_MS })) {
      if (event.type === 'finished') summary = event.summary
      if (event.type === 'row') told.set(event.row, event.status)
    }
    return summary
  }
  try {
    while (runs < 10) {
      runs += 1
      if ((await runOnce())?.remaining === 0) break
      await front.end()
      clock.advance(lastsMs)
    }
    const invites = new Map<string, number>()
    for (const { candidate } of mock.invites) invites.set(candidate.email, (invites.get(candidate.email) ?? 0) + 1)
    let [unknown, notSent] = [0, 0]
    for (let row = 1; row <= rows; row += 1) {
      const status = told.get(row)
      const count = invites.get(emailOf(row)) ?? 0
      if (status === 'unknown') unknown += 1
      else if (count === 0) notSent += 1
      if (status !== 'unknown' && status !== 'created' && status !== 'already_invited') falsehoods += 1
    }
    const duplicates = [...invites.values()].filter((count) => count > 1).length
    return { scenario, outages, runs, unknown, bound: concurrency * outages, duplicates, notSent, falsehoods }
  } finally {
    await ledger.close()
    opened.close()
    await front.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/* Time-outs fire only if the service is silent, so that the speed of the machine does not matter. */
export function timeOutIf(isSilent: () => boolean): Runtime {
  return {
    ...systemClock,
    startTimer(ms, callback) {
      const endsAt = performance.now() + ms
      const look = () => {
        if (isSilent() || performance.now() >= endsAt) callback()
        else timer = setTimeout(look, LOOK_MS)
      }
      let timer = setTimeout(look, LOOK_MS)
      return () => clearTimeout(timer)
    },
  }
}

const LOOK_MS = 50

/** Whether a campaign kept its promises. */
export function holds({ scenario, runs, unknown, bound, duplicates, notSent, falsehoods }: OutageFigures): boolean {
  /* Before the first create it does not wait for long. */
  const { fault, begins, lastsMs } = scenario
  const isSurvived = begins[0] === 0 ? lastsMs <= 1_500 && fault.isFinal !== true : lastsMs <= MAX_OUTAGE_MS
  return unknown <= bound && duplicates + notSent + falsehoods === 0 && (isSurvived ? runs === 1 : runs > 1)
}

/** The figures as a table, its columns separated by tabs. */
export function tableOf(figures: readonly OutageFigures[]): string {
  const lines = figures.map((each) => {
    const { fault, fetch, begins, lastsMs, rows, concurrency } = each.scenario
    const { runs, unknown, bound, duplicates, notSent, falsehoods } = each
    const cells = [fault.name, fetch, begins.join(' '), `${lastsMs / 1000} s`, concurrency, rows]
    return [...cells, runs, unknown, bound, duplicates, notSent, falsehoods, holds(each) ? 'holds' : 'DOES NOT HOLD']
  })
  return [HEAD, ...lines].map((cells) => cells.join('\t')).join('\n')
}

const HEAD =
  'fault,fetch,begins at create,lasts,concurrency,rows,runs,unknown,at most,duplicates,not sent,false,'.split(',')
