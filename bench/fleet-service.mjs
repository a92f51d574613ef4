// The mock with a latency, in a process of its own: started by fleet.mjs.
import { mocks } from '../test/ledger/built.mjs'

const mock = mocks.createMockServer()
mock.faults.add({ times: Number.POSITIVE_INFINITY, fault: { delayMs: Number(process.argv[2]) } })
const { url } = await mock.listen()
process.send?.({ url, apiKey: mock.apiKey, world: mock.worldId, servicePid: process.pid })
process.on('disconnect', () => process.exit())
