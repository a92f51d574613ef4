import { setupWorker } from 'msw/browser'
import { createMockServer } from '../../mock-server/index.ts'
import { mswHandlers } from '../../mock-server/msw.ts'
import { CertifyClient } from '../../src/index.ts'
import { contract, type Rule } from '../mock-server/contract.ts'
import { differences } from './differences.ts'

/* What runs in the browser: the built SDK and the built mock. The tests call `see` from outside. */

const worker = setupWorker()
const started = worker.start({ quiet: true, onUnhandledRequest: 'bypass' })

async function see(way: 'msw/browser' | 'mock.fetch', title: string): Promise<unknown> {
  await started
  const rule: Rule | undefined = [...contract, ...differences].find((each) => each.title === title)
  if (rule === undefined) throw new Error(`no rule ${title}`)
  const mock = createMockServer(rule.options)
  worker.resetHandlers(...(way === 'msw/browser' ? mswHandlers(mock) : []))
  const { baseUrl, apiKey } = mock
  const fetch = way === 'msw/browser' ? globalThis.fetch.bind(globalThis) : mock.fetch
  return rule.see({ mock, fetch, baseUrl, client: new CertifyClient({ baseUrl, apiKey, fetch, retry: false }) })
}

Object.assign(globalThis, { see })
