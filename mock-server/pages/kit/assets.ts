import { Hono } from 'hono/tiny'
import morph from 'idiomorph/dist/idiomorph.min.js?raw'
import early from './assets/early.js?raw'
import favicon from './assets/favicon.svg?raw'
import forms from './assets/forms.js?raw'
import live from './assets/live.js?raw'
import css from './assets/page.css?raw'
import page from './assets/page.js?raw'
import payload from './assets/payload.js?raw'
import times from './assets/times.js?raw'

/** A file that a page loads. */
export interface Asset {
  readonly text: string
  readonly type: string
}

const KIT = [
  asset('kit/assets/page.css', css, 'text/css'),
  asset('kit/assets/favicon.svg', favicon, 'image/svg+xml'),
  asset('kit/assets/early.js', early),
  asset('kit/assets/page.js', page),
  asset('kit/assets/forms.js', forms),
  asset('kit/assets/live.js', live),
  asset('kit/assets/payload.js', payload),
  asset('kit/assets/times.js', times),
  // The library's minified file is not a module.
  asset('kit/assets/idiomorph.js', `${morph}\nexport { Idiomorph }\n`),
]

/** The files of the kit and of a page, by address. They contain no data. */
export function filesBelow(api: string, own: readonly [string, Asset][] = []): ReadonlyMap<string, Asset> {
  return new Map([...KIT, ...own].map(([name, file]) => [`${api}/${name}`, file]))
}

export function fileRoutes(files: ReadonlyMap<string, Asset>): Hono {
  const app = new Hono()
  for (const [path, { text, type }] of files) app.get(path, (c) => c.body(text, 200, { 'content-type': type }))
  return app
}

export function asset(name: string, text: string, type = 'text/javascript'): [string, Asset] {
  return [name, { text, type: `${type}; charset=utf-8` }]
}
