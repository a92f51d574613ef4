const job = `
const mock = createMockServer()
const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
async function job() {
  const [track] = await client.tracks.list({ trackSlug: 'react' })
  const created = await client.packageInvites.create({
    packageId: track.packages[0].id,
    candidate: { email: 'ada@example.com' },
  })
  const refusal = await client.invites.create({ quizId: 'none', candidate: { email: 'ada@example.com' } }).catch((e) => e)
  if (!(refusal instanceof CertifyError)) throw refusal
  return [created.invites.length === mock.invites.length, refusal.code].join(' ')
}`

/** The main job as an ES module; `job()` runs it on `mock`. */
export const esm = `import { CertifyClient, CertifyError } from 'certify-sdk'
import { createMockServer } from 'certify-sdk/mock'${job}`

/** The same in CommonJS. */
export const cjs = `const { CertifyClient, CertifyError } = require('certify-sdk')
const { createMockServer } = require('certify-sdk/mock')${job}`
