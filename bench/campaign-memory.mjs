// The most memory that `certify bulk` takes for ten thousand rows and for 200,000, or as many as its argument says: all of
// them read, compared, sent and reported.
import { bulk, ownFolder, startService, tableOf } from './campaign-setting.mjs'
import { judge, print } from './table.mjs'

const MANY = Number(process.argv[2] ?? 200_000)

const service = await startService()
const folder = ownFolder()
const few = await measure(10_000)
const many = await measure(MANY)
service.stop()
print(
  'the most memory of the process (RSS)',
  ['rows', 'created', 'peak', 'took'],
  [few, many].map(({ rows, counts, peakBytes, wholeMs }) => [
    rows.toLocaleString('en'),
    (counts['created'] ?? 0).toLocaleString('en'),
    `${(peakBytes / 1e6).toFixed(0)} MB`,
    `${(wholeMs / 1000).toFixed(0)} s`,
  ]),
)
console.log()
judge(`the peak for ${MANY.toLocaleString('en')} rows`, Math.round(many.peakBytes / 1e6), 400, 'MB')

/** @param {number} rows */
async function measure(rows) {
  return { rows, ...(await bulk({ folder, url: service.urlAfter(0), table: await tableOf(folder, rows) })) }
}
