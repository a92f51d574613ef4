// The most memory that a process takes for a campaign of ten thousand rows and for one of a million: reading and comparing
// all of them, and sending. Of the million as many as the second argument says are sent, or all with `all`.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { campaign, ownFolder, startService } from './campaign-setting.mjs'
import { judge, print } from './table.mjs'

const [mode, url = '', path = '', count = '0', most = '0'] = process.argv.slice(2)
if (mode === 'child') {
  const { rows } = await campaign({ url, path, count: Number(count), most: Number(most) })
  console.log(JSON.stringify({ rows, peakBytes: process.resourceUsage().maxRSS * 1024 }))
} else {
  const sent = mode === 'all' ? 1_000_000 : Number(mode ?? 50_000)
  const service = await startService()
  const folder = ownFolder()
  const measure = (/** @type {number} */ rows, /** @type {number} */ mostRows) => {
    const file = join(folder, `${rows}.ledger`)
    const [script, ...rest] = [import.meta.filename, 'child', service.urlAfter(0), file, String(rows), String(mostRows)]
    /** @type {{ rows: number, peakBytes: number }} */
    const told = JSON.parse(execFileSync(process.execPath, [script, ...rest], { encoding: 'utf8' }))
    return { planned: rows, sent: told.rows, peakBytes: told.peakBytes }
  }
  const small = measure(10_000, 10_000)
  const large = measure(1_000_000, sent)
  service.stop()
  print(
    'the most memory of the process (RSS) during a campaign',
    ['rows planned', 'rows sent', 'peak'],
    [small, large].map((each) => [
      each.planned.toLocaleString('en'),
      each.sent.toLocaleString('en'),
      `${(each.peakBytes / 1e6).toFixed(0)} MB`,
    ]),
  )
  console.log()
  judge('a million rows, to ten thousand', large.peakBytes / small.peakBytes, 1.25)
}
