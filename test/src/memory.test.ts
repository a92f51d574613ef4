import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { CertifyClient, type Fetch } from '../../src/index.ts'
import { failureOf } from './failing.ts'

test('an oversized response is buffered by its contents, not by the larger buffers behind its chunks', async () => {
  const buffers: WeakRef<ArrayBuffer>[] = []
  let reachable = Number.POSITIVE_INFINITY
  async function* body() {
    for (;;) {
      /* As in Deno: each chunk is a small view of a buffer of its own. */
      const chunk = new Uint8Array(new ArrayBuffer(1024 * 1024), 0, 64 * 1024).fill(0x20)
      buffers.push(new WeakRef(chunk.buffer))
      yield chunk
      if (buffers.length === 200) reachable = await countReachable(buffers)
    }
  }
  const fetch: Fetch = async () => ({ status: 200, ok: true, headers: new Headers(), body: body() })
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch, retry: false })
  expect((await failureOf(client.tracks.list())).code).toBe('RESPONSE_UNREADABLE')
  expect(buffers.length).toBeGreaterThan(200)
  expect(reachable).toBeLessThan(10)
})

async function countReachable(objects: readonly WeakRef<object>[]): Promise<number> {
  /* What a WeakRef was made for stays until the turn ends. */
  await new Promise((resolve) => setImmediate(resolve))
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return objects.filter((each) => each.deref() !== undefined).length
}
