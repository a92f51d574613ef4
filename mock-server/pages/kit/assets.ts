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

/** The files of the kit, by their addresses below the one that a page has for files. They contain no data. */
export const KIT_ASSETS: ReadonlyMap<string, Asset> = new Map([
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
])

export function asset(name: string, text: string, type = 'text/javascript'): [string, Asset] {
  return [name, { text, type: `${type}; charset=utf-8` }]
}
