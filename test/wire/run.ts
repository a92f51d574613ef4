import { exchange } from './exchange.ts'
import type { Ended, Scenario } from './scenario.ts'
import { type Service, startService } from './service.ts'
import { Tally } from './tally.ts'
import { judge } from './truth.ts'

const AT_ONCE = 48
const BATCH = 2000

/** Runs every scenario against a matching service, and checks each call against what its service did. */
export async function run(scenarios: Iterable<Scenario>): Promise<Tally> {
  const services = await startServices()
  const tally = new Tally()
  let count = 0
  try {
    for (const batch of inBatches(scenarios)) {
      const left = batch.values()
      const ended: { readonly service: Service; readonly call: Ended }[] = []
      const lane = async () => {
        for (const scenario of left) {
          const service = services(scenario)
          count += 1
          ended.push({ service, call: await exchange(service, scenario, referenceOf(count)) })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, lane))
      /* Requests still in flight to a service of this process have arrived after this. */
      await new Promise((resolve) => setTimeout(resolve, 10))
      for (const { service, call } of ended) {
        tally.add(call, judge(call.record, call.scenario, call.told))
        service.forget(call.reference)
      }
    }
  } finally {
    tally.strays = await services.close()
  }
  return tally
}

/** References of equal length, so that responses have equal length. */
export function referenceOf(count: number): string {
  return `call-${String(count).padStart(8, '0')}`
}

/* One for each kind of connection. */
async function startServices() {
  const kinds = [false, true].flatMap((secure) => [false, true].map((keeps) => ({ secure, keeps })))
  const started = await Promise.all(kinds.map(async (kind) => ({ ...kind, service: await startService(kind) })))
  const serviceFor = ({ way }: Scenario): Service => {
    const found = started.find(({ secure, keeps }) => secure === way.secure && keeps === way.keeps)
    if (found === undefined) throw new Error('no service of this kind')
    return found.service
  }
  const close = async () => {
    await Promise.all(started.map(({ service }) => service.close()))
    return started.flatMap(({ service }) => service.strays).length
  }
  return Object.assign(serviceFor, { close })
}

function* inBatches<T>(items: Iterable<T>): Generator<readonly T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}
