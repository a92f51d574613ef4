// node nightly.mjs completions.csv: invites everybody who completed a course. Run it again after any failure.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { argv, env, exit } from 'node:process'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { planCampaign, runCampaign } from 'certify-sdk/campaign'
import { mockWorldAt, openLedger } from 'certify-sdk/ledger'
import { completions, notInvitedFor } from './completions.mjs'

/* What cron and a monitor see. */
const EXIT = { done: 0, failed: 1, notStarted: 2, someRows: 3, unknown: 6, stopped: 7 }

const { CERTIFY_BASE_URL, CERTIFY_API_KEY, LEDGER, COURSES = 'courses.json', REPORT = 'report.json', RATE = '5' } = env

exit(
  await nightly(argv[2]).catch((error) => {
    /* A CertifyError has no data of candidates. Another error may: its message is not printed. */
    console.error(isCertifyError(error) ? `${error.code}: ${error.message}` : `failed: ${error.code ?? error.name}`)
    return isCertifyError(error) ? EXIT.notStarted : EXIT.failed
  }),
)

async function nightly(path) {
  if (!path || !LEDGER?.startsWith('/')) {
    console.error('LEDGER=/absolute/path.ledger node nightly.mjs <export.csv|export.json>')
    return EXIT.notStarted
  }
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
  const client = new CertifyClient({ baseUrl: CERTIFY_BASE_URL, apiKey: CERTIFY_API_KEY })
  const ledger = await openLedger(LEDGER)
  try {
    const scope = { account: 'acme-production', world: await mockWorldAt(CERTIFY_BASE_URL) }
    const courses = JSON.parse(await readFile(COURSES, 'utf8'))
    const rows = notInvitedFor(completions(path, courses), ledger, scope)
    const plan = await planCampaign(rows, { client, ledger, ...scope, campaign: 'lms-nightly' })
    const options = { concurrency: 4, ratePerSecond: Number(RATE), maxOutageMs: 600_000, signal: stop.signal }
    const report = { rows: [], summary: undefined }
    for await (const event of runCampaign(plan, options)) {
      if (event.type === 'row') report.rows.push(reported(event))
      if (event.type === 'finished') report.summary = event.summary
    }
    const { counts, remaining, stopped, error } = report.summary
    /* First of all: what was sent shows, even if the report cannot be written. */
    console.log(JSON.stringify({ counts, remaining, stopped, code: error?.code }))
    await replaceFile(REPORT, JSON.stringify(report, null, 2))
    return exitCodeOf(report.summary)
  } finally {
    await ledger.close()
  }
}

/* No name, no address, no link: the row number leads to them in the export. */
function reported({ row, status, reference, invites, issues, error }) {
  const inviteIds = invites.map(({ inviteId }) => inviteId)
  return {
    row,
    status,
    reference,
    inviteIds,
    issues: issues.map(({ path, rule }) => `${path} ${rule}`),
    code: error?.code,
  }
}

function exitCodeOf({ counts, stopped }) {
  if (counts.unknown > 0) return EXIT.unknown
  if (stopped !== undefined) return EXIT.stopped
  return counts.failed + counts.refused + counts.rejected + counts.partly_invited > 0 ? EXIT.someRows : EXIT.done
}

/* A monitor never reads half of a report. */
async function replaceFile(path, text) {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
