import { Hono } from 'hono/tiny'
import type { MockServer } from '../contract/mock-server.ts'
import type { SiteEnv } from './env.ts'
import { bodyOf, must } from './misuse.ts'
import { sizeOf } from './people.ts'
import { newestFirst, wholeNumber } from './selection.ts'
import { callbackWords, requestWords } from './words.ts'

/** What comes in and what goes out: requests, callbacks, and what goes wrong with either. */
export function trafficRoutes(mock: MockServer): Hono<SiteEnv> {
  const { callbacks, faults, journal } = mock
  return new Hono<SiteEnv>()
    .get('/callbacks', (c) => {
      const { search = '', limit, page } = c.req.query()
      const found = newestFirst(callbacks.list(), {
        search,
        words: callbackWords,
        page: wholeNumber(page, 1),
        size: sizeOf(limit),
      })
      return c.json({ paused: callbacks.paused, ...found })
    })
    .post('/callbacks/pause', (c) => {
      callbacks.pause()
      return c.json({ paused: callbacks.paused })
    })
    .post('/callbacks/resume', (c) => {
      callbacks.resume()
      return c.json({ paused: callbacks.paused })
    })
    .post('/callbacks/:id/redeliver', (c) => {
      must(() => callbacks.redeliver(c.req.param('id')), 404)
      return c.body(null, 204)
    })
    .get('/faults', (c) => c.json({ faults: faults.list() }))
    .post('/faults', async (c) => {
      // Whatever is wrong with it, the mock says.
      const { id } = faults.add(await bodyOf(c))
      return c.json(
        faults.list().find((rule) => rule.id === id),
        201,
      )
    })
    .delete('/faults', (c) => {
      faults.clear()
      return c.body(null, 204)
    })
    .delete('/faults/:id', (c) => {
      must(() => faults.remove(c.req.param('id')), 404)
      return c.body(null, 204)
    })
    .get('/journal', (c) => {
      const { search = '', limit, page } = c.req.query()
      const found = newestFirst(journal.list(), {
        search,
        words: requestWords,
        page: wholeNumber(page, 1),
        size: sizeOf(limit),
      })
      return c.json({ dropped: journal.dropped, ...found })
    })
    .delete('/journal', (c) => {
      journal.clear()
      return c.body(null, 204)
    })
}
