import { CONTROL_PATH } from '../contract/paths.ts'
import faultSentence from './assets/fault-sentence.js?raw'
import sandbox from './assets/sandbox.js?raw'
import snippets from './assets/snippets.js?raw'
import { type Asset, asset, filesBelow } from './kit/assets.ts'

/** The files that the pages load, by address. */
export const ASSETS: ReadonlyMap<string, Asset> = filesBelow(CONTROL_PATH, [
  asset('assets/sandbox.js', sandbox),
  asset('assets/fault-sentence.js', faultSentence),
  asset('assets/snippets.js', snippets),
])
