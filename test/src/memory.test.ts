import { expect, test } from 'vitest'
import { CertifyClient, type Fetch } from '../../src/index.ts'
import { failureOf } from './failing.ts'

test('an oversized response is buffered by its contents, not by the larger buffers behind its chunks', async () => {
  let pieces = 0
  let mostKept = 0
  async function* body() {
    const before = process.memoryUsage().arrayBuffers
    for (;;) {
      pieces += 1
      /* As in Deno: each chunk is a small view of a buffer of its own. */
      yield new Uint8Array(new ArrayBuffer(1024 * 1024), 0, 64 * 1024).fill(0x20)
      if (pieces % 64 === 0) mostKept = Math.max(mostKept, await kept(before))
    }
  }
  const fetch: Fetch = async () => ({ status: 200, ok: true, headers: new Headers(), body: body() })
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch, retry: false })
  expect((await failureOf(client.tracks.list())).code).toBe('RESPONSE_UNREADABLE')
  expect(pieces).toBeGreaterThan(200)
  expect(mostKept).toBeLessThan(100 * 1024 * 1024)
})

/* The pressure of the buffers triggers the collection of unreferenced ones. */
async function kept(before: number): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve))
  return process.memoryUsage().arrayBuffers - before
}
