import { expect, test } from 'vitest'
import type { OutageTrials, SharedPace } from '../../../src/ledger/index.ts'

/** A pace that several runs share, by a clock of the test. */
export interface PaceSetting {
  readonly forRun: () => SharedPace
  readonly advance: (ms: number) => void
}

const NONE: OutageTrials = { failed: 0, lost: 0, code: 'SERVER_FAULT' }

/** The rules of a shared pace, as tests of one implementation. */
export function testPace(setting: () => Promise<PaceSetting>): void {
  test('turns of all runs together are apart by the rate, and no burst follows a long wait', async () => {
    const { forRun, advance } = await setting()
    const [one, other] = [forRun(), forRun()]
    expect(await one.takeTurn(10)).toBe(0)
    expect(await other.takeTurn(10)).toBe(100)
    expect(await one.takeTurn(10)).toBe(200)
    advance(250)
    expect(await other.takeTurn(10)).toBe(50)
    advance(10_000)
    expect(await one.takeTurn(10)).toBe(0)
    expect(await one.takeTurn(10)).toBe(100)
  })

  test('the lowest rate counts for all, also for a run without one, until nobody has used it for a minute', async () => {
    const { forRun, advance } = await setting()
    const [slow, fast, free] = [forRun(), forRun(), forRun()]
    expect((await free.read()).isLimited).toBe(false)
    await fast.takeTurn(10)
    expect(await slow.takeTurn(2)).toBe(100)
    expect(await fast.takeTurn(10)).toBe(600)
    expect(await free.takeTurn(undefined)).toBe(1100)
    expect((await free.read()).isLimited).toBe(true)
    advance(59_000)
    expect(await fast.takeTurn(10)).toBe(0)
    expect(await fast.takeTurn(10)).toBe(500)
    advance(3_000)
    expect(await fast.takeTurn(10)).toBe(0)
    expect(await fast.takeTurn(10)).toBe(100)
    advance(62_000)
    expect((await free.read()).isLimited).toBe(false)
    expect([await free.takeTurn(undefined), await free.takeTurn(undefined)]).toEqual([0, 0])
  })

  test('a pause that one run begins is a pause of all: no turn is taken, and a shorter one changes nothing', async () => {
    const { forRun, advance } = await setting()
    const [one, other] = [forRun(), forRun()]
    await one.takeTurn(10)
    await one.pauseFor(5_000)
    await one.pauseFor(1_000)
    expect(await other.takeTurn(10)).toBeUndefined()
    expect((await other.read()).pausedMs).toBe(5_000)
    advance(4_000)
    expect((await other.read()).pausedMs).toBe(1_000)
    await other.pauseFor(3_000)
    expect((await one.read()).pausedMs).toBe(3_000)
    advance(3_000)
    expect((await one.read()).pausedMs).toBe(0)
    expect(await one.takeTurn(10)).toBe(0)
  })

  test('a pause and a turn from a clock that was set back meanwhile hold nobody up', async () => {
    const { forRun, advance } = await setting()
    const one = forRun()
    await one.takeTurn(2)
    await one.pauseFor(5_000)
    advance(-3_600_000)
    expect((await one.read()).pausedMs).toBe(0)
    /* The next turn would be an hour away. */
    expect(await one.takeTurn(2)).toBeLessThanOrEqual(1000 * 500)
  })

  test('in an outage one run probes: it alone gets turns, and all do when it is over', async () => {
    const { forRun } = await setting()
    const [one, other] = [forRun(), forRun()]
    expect((await one.read()).outage).toBeUndefined()
    expect(await one.hold(10_000, NONE)).toBe(true)
    expect(await other.hold(10_000, NONE)).toBe(false)
    expect(await one.hold(10_000, { ...NONE, failed: 2, lost: 1 })).toBe(true)
    expect((await one.read()).outage?.probedBy).toBe('this')
    expect((await other.read()).outage).toEqual({ probedBy: 'another', trials: { ...NONE, failed: 2, lost: 1 } })
    expect(await one.takeTurn(undefined)).toBe(0)
    expect(await other.takeTurn(undefined)).toBeUndefined()
    await other.release(true, NONE)
    expect((await other.read()).outage?.probedBy).toBe('another')
    await one.release(true, NONE)
    expect((await other.read()).outage).toBeUndefined()
    expect(await other.takeTurn(undefined)).toBe(0)
  })

  test('if the run that probes dies, another one takes over when its lease ends; if it leaves, at once', async () => {
    const { forRun, advance } = await setting()
    const [one, two, three] = [forRun(), forRun(), forRun()]
    await one.hold(10_000, NONE)
    advance(9_999)
    expect(await two.hold(10_000, NONE)).toBe(false)
    advance(1)
    expect((await two.read()).outage?.probedBy).toBe('nobody')
    expect(await two.takeTurn(undefined)).toBeUndefined()
    expect(await two.hold(10_000, { ...NONE, failed: 3 })).toBe(true)
    expect(await one.hold(10_000, NONE)).toBe(false)
    await two.release(false, { ...NONE, failed: 4 })
    expect((await three.read()).outage).toEqual({ probedBy: 'nobody', trials: { ...NONE, failed: 4 } })
    expect(await three.hold(10_000, NONE)).toBe(true)
  })
}
