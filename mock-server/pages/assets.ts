import morph from 'idiomorph/dist/idiomorph.min.js?raw'
import { CONTROL_PATH } from '../contract/paths.ts'
import consoleScript from './assets/console.js?raw'
import faultSentence from './assets/fault-sentence.js?raw'
import favicon from './assets/favicon.svg?raw'
import forms from './assets/forms.js?raw'
import graphqlText from './assets/graphql-text.js?raw'
import live from './assets/live.js?raw'
import css from './assets/page.css?raw'
import page from './assets/page.js?raw'
import payload from './assets/payload.js?raw'
import snippets from './assets/snippets.js?raw'
import early from './assets/early.js?raw'
import times from './assets/times.js?raw'

/** The files that the pages load, by address. They contain no data of the mock. */
export const ASSETS: ReadonlyMap<string, { readonly text: string; readonly type: string }> = new Map([
  file('page.css', css, 'text/css'),
  file('favicon.svg', favicon, 'image/svg+xml'),
  file('early.js', early),
  file('page.js', page),
  file('console.js', consoleScript),
  file('fault-sentence.js', faultSentence),
  file('forms.js', forms),
  file('graphql-text.js', graphqlText),
  file('live.js', live),
  file('payload.js', payload),
  file('snippets.js', snippets),
  file('times.js', times),
  // The library's minified file is not a module.
  file('idiomorph.js', `${morph}\nexport { Idiomorph }\n`),
])

function file(name: string, text: string, type = 'text/javascript') {
  return [`${CONTROL_PATH}/${name}`, { text, type: `${type}; charset=utf-8` }] as const
}
