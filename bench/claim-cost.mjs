// The cost of a claim in a large ledger on Postgres against a small one, and the plans that the database chose:
//   node bench/prepare.mjs && node bench/claim-cost.mjs [--small 10000] [--large 5000000] [--claims 1000]
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql, startPostgres } from '../test/postgres/server.mjs'
import { judge, print, quantile } from './table.mjs'

const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '5000000' },
    claims: { type: 'string', default: '1000' },
  },
})
const claims = Number(values.claims)
/** @type {typeof import('../src/ledger/postgres.ts')} */
const { openPostgresLedger } = await import(new URL('../dist/ledger/postgres.js', import.meta.url).href)
const scope = { baseUrl: 'https://certify.test/api/developer/graphql', account: 'bench', world: '' }
const server = await startPostgres({ settings: { max_wal_size: '4GB', shared_buffers: '512MB' } })
try {
  const sizes = [Number(values.small), Number(values.large)]
  const urls = []
  for (const size of sizes) urls.push(await filled(size))
  /* Alternating, so that both see the same machine. */
  const took = sizes.map(() => /** @type {number[]} */ ([]))
  for (let round = 0; round < 5; round += 1)
    for (const [index, url] of urls.entries()) took[index]?.push(...(await claimsOf(url, claims / 5, `${round}`)))
  const medians = took.map((each) => quantile(each))
  const rows = sizes.map((size, index) => [
    size.toLocaleString('en'),
    `${medians[index]?.toFixed(2)} ms`,
    `${quantile(took[index] ?? [], 0.95).toFixed(2)} ms`,
  ])
  print(`${claims} claims of new candidates, one after another`, ['entries', 'median', '95 %'], rows)
  console.log('')
  judge('claim in the large ledger against the small one', (medians[1] ?? 0) / (medians[0] ?? 1), 1.3)
  console.log(`\nThe plans with ${sizes[1]?.toLocaleString('en')} entries:\n${await plansOf(urls[1] ?? '')}`)
} finally {
  await server.stop()
}

/** A database whose ledger has so many created sends. @param {number} size */
async function filled(size) {
  const url = await server.createDatabase()
  const [took] = await claimsOf(url, 1, 'template')
  if (took === undefined) throw new Error('the first claim failed')
  const began = performance.now()
  await sql(
    url,
    `SET synchronous_commit = off;
    INSERT INTO certify.certify_sends
      (reference, scope, email_key, state, lease_until, sent_at, expires_at, record)
    SELECT 'filled-' || n, scope, 'filled-' || n || '@example.com', 'created', lease_until, sent_at,
      expires_at + n % 1000000, (record::jsonb || jsonb_build_object(
        'reference', 'filled-' || n, 'emailKey', 'filled-' || n || '@example.com', 'state', 'created',
        'expiresAt', expires_at + n % 1000000, 'invites', jsonb_build_array(jsonb_build_object('inviteId', 'inv_' || n,
          'challengeUrl', 'https://certify.test/challenge/' || md5(n::text), 'quizId', 'quiz_bench'))))::text
    FROM certify.certify_sends, generate_series(1, ${size}) n;
    INSERT INTO certify.certify_invites (invite_id, send)
    SELECT 'inv_' || substr(reference, 8), id FROM certify.certify_sends WHERE reference LIKE 'filled-%';`,
  )
  await sql(url, 'VACUUM ANALYZE')
  console.log(`${size.toLocaleString('en')} entries made in ${Math.round((performance.now() - began) / 1000)} s`)
  return url
}

/** @param {string} url @param {number} count @param {string} name @returns {Promise<number[]>} milliseconds of each */
async function claimsOf(url, count, name) {
  const ledger = await openPostgresLedger({ url })
  const took = []
  for (let index = 0; index < count; index += 1) {
    const email = `${name}-${index}@example.com`
    const began = performance.now()
    const { kind } = await ledger.claim({
      scope,
      target: { email, packageId: undefined, quizIds: ['quiz_bench'] },
      reference: crypto.randomUUID(),
      input: { quizId: 'quiz_bench', candidate: { email } },
      leaseMs: 60_000,
    })
    took.push(performance.now() - began)
    if (kind !== 'claimed') throw new Error(`a new candidate is ${kind}`)
  }
  await ledger.close()
  return took
}

/* The database writes the plans of the very statements that a claim runs. */
async function plansOf(/** @type {string} */ url) {
  const log = join(server.folder, 'log')
  const before = readFileSync(log, 'utf8').length
  const explained = new URL(url)
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    log_min_messages: 'log',
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  explained.searchParams.set('options', options.join(' '))
  await claimsOf(explained.href, 1, 'explained')
  const plans = readFileSync(log, 'utf8').slice(before)
  return plans
    .split('\n')
    .filter((line) => /Scan|Insert|Update|Conflict|Index Cond|duration/.test(line) && !line.includes('pg_'))
    .join('\n')
}
