import { CONTROL_PATH } from '../contract/paths.ts'
import faultSentence from './assets/fault-sentence.js?raw'
import sandbox from './assets/sandbox.js?raw'
import snippets from './assets/snippets.js?raw'
import { type Asset, asset, KIT_ASSETS } from './kit/assets.ts'

/** The files that the pages load, by address. They contain no data of the mock. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map(
  [
    ...KIT_ASSETS,
    asset('assets/sandbox.js', sandbox),
    asset('assets/fault-sentence.js', faultSentence),
    asset('assets/snippets.js', snippets),
  ].map(([name, file]) => [`${CONTROL_PATH}/${name}`, file]),
)
