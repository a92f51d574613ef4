import { expect, test } from 'vitest'
import { CallbackSender } from '../../mock-server/sandbox/callbacks/sender.ts'

/* The look-up of names is injected: what a resolver says about *.localhost differs from machine to machine. */

const delivery = (url: string) => ({ id: 'evt_1', url, body: '{}', attempt: 1, at: 0, signing: 'true' }) as const

function sending(url: string, addresses: readonly string[], allow: readonly string[] = []) {
  const asked: string[] = []
  const sender = new CallbackSender({ allow }, { callbackSigning: 'none' }, async (hostname) => {
    asked.push(hostname)
    if (addresses.length === 0) throw new Error('getaddrinfo ENOTFOUND app.localhost')
    return addresses
  })
  return { asked, result: sender.send(delivery(url)) }
}

test.each([[['192.0.2.7']], [['127.0.0.1', '192.0.2.7']], [['::1', '2001:db8::7']], [['::ffff:192.0.2.7']]])(
  'a name below localhost with the addresses %j is not contacted',
  async (addresses) => {
    const { result, asked } = sending('http://app.localhost:9/hook', addresses)
    expect(await result).toEqual({ error: expect.stringContaining('app.localhost:9 was not contacted'), blocked: true })
    expect(asked).toEqual(['app.localhost'])
  },
)

test('a name below localhost that leads to this machine is contacted', async () => {
  const { result } = sending('http://app.localhost:9/hook', ['127.0.0.1', '::1', '127.8.8.8'])
  expect(await result).toMatchObject({ blocked: false })
})

test('a name below localhost without an address is tried again later', async () => {
  const { result } = sending('http://app.localhost:9/hook', [])
  expect(await result).toMatchObject({ error: 'getaddrinfo ENOTFOUND app.localhost', blocked: false })
})

test('loopback addresses, localhost itself and a host that is allowed are not looked up', async () => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost', 'dev.localhost']) {
    const { result, asked } = sending(`http://${host}:1/hook`, ['192.0.2.7'], ['dev.localhost'])
    expect(await result).toMatchObject({ blocked: false })
    expect(asked).toEqual([])
  }
})
