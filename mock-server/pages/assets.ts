import morph from 'idiomorph/dist/idiomorph.min.js?raw'
import { CONTROL_PATH } from '../contract/paths.ts'
import announce from './assets/announce.js?raw'
import clock from './assets/clock.js?raw'
import consoleScript from './assets/console.js?raw'
import favicon from './assets/favicon.svg?raw'
import forms from './assets/forms.js?raw'
import live from './assets/live.js?raw'
import css from './assets/page.css?raw'
import page from './assets/page.js?raw'
import stream from './assets/stream.js?raw'

/** The files that the pages load: their addresses, and what is in them. They contain nothing of the mock. */
export const ASSETS: ReadonlyMap<string, { readonly text: string; readonly type: string }> = new Map([
  file('page.css', css, 'text/css'),
  file('page.js', page),
  file('console.js', consoleScript),
  file('forms.js', forms),
  file('favicon.svg', favicon, 'image/svg+xml'),
  file('live.js', live),
  file('stream.js', stream),
  file('clock.js', clock),
  file('announce.js', announce),
  // The library's small file is no module.
  file('idiomorph.js', `${morph}\nexport { Idiomorph }\n`),
])

function file(name: string, text: string, type = 'text/javascript') {
  return [`${CONTROL_PATH}/${name}`, { text, type: `${type}; charset=utf-8` }] as const
}
