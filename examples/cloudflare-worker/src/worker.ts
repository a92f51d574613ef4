import { callbackUrls, parseEvent } from 'certify-sdk/callbacks'
import { applicants } from './applicants.js'
import type { Applicant, Env } from './candidate.js'

export { Candidate } from './candidate.js'

export default {
  async fetch(request, env, context) {
    const [, root, id = '', action] = new URL(request.url).pathname.split('/')
    if (root === 'certify') return receive(request, env)
    const applicant = root === 'applicants' ? applicants.get(id) : undefined
    if (applicant === undefined) return Response.json({ state: 'no such applicant' }, { status: 404 })
    if (request.method === 'POST' && action === 'invite') return invite(applicant, request, env, context)
    if (request.method === 'GET' && action === undefined) {
      return Response.json({ sends: await candidate(applicant, env).sends() })
    }
    return new Response(null, { status: 405 })
  },
} satisfies ExportedHandler<Env>

async function invite(applicant: Applicant, request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  const given = await request.json<{ quizId?: unknown } | null>().catch(() => null)
  if (typeof given?.quizId !== 'string')
    return Response.json({ state: 'not invited', code: 'INPUT_INVALID' }, { status: 400 })
  const answer = candidate(applicant, env).invite(applicant, given.quizId)
  /* Continues even if the client disconnects. */
  context.waitUntil(answer)
  const { status, body, retryAfter } = await answer
  return Response.json(body, { status, headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` } })
}

/** The URL is the proof. The event is acknowledged when the object has stored it. */
async function receive(request: Request, env: Env): Promise<Response> {
  const urls = callbackUrls({ baseUrl: env.CALLBACK_URL, secrets: [env.CALLBACK_SECRET] })
  const token = await urls.read(request.url)
  if (token === undefined) return new Response(null, { status: 404 })
  /* Nothing else may read the body first: it can be read only once. */
  const event = await parseEvent(request)
  /* A truncated delivery is not acknowledged, so that it is redelivered. */
  if (request.body !== null && event.data === undefined) return new Response(null, { status: 400 })
  if (event.type === 'certification.completed') {
    const [object = ''] = token.reference.split('.')
    const owner = env.CANDIDATES.get(env.CANDIDATES.idFromString(object))
    await owner.learn(token.reference, event.inviteId, event.result)
  }
  return new Response(null, { status: 200 })
}

function candidate({ email }: Applicant, env: Env): DurableObjectStub<import('./candidate.js').Candidate> {
  return env.CANDIDATES.get(env.CANDIDATES.idFromName(email.trim().toLowerCase()))
}
