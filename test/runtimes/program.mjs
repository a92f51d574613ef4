/**
 * Runs on every runtime: the main job, and the three failures that runtimes report differently.
 *
 * @param {Pick<typeof import('../../src/index.ts'), 'CertifyClient'>} sdk the packed package
 * @param {{ url: string, cutting: string, nowhere: string, apiKey: string }} where a mock, one that hangs up after
 *   every create, and an address where nothing listens
 * @param {import('../../src/index.ts').Fetch} [fetch] in place of the global one
 */
export async function program({ CertifyClient }, { url, cutting, nowhere, apiKey }, fetch) {
  const own = fetch === undefined ? {} : { fetch }
  /** @type {string[]} */
  const told = []
  const service = new CertifyClient({
    baseUrl: url,
    apiKey,
    headers({ operation }) {
      told.push(operation)
      return { 'x-tenant': 'acme' }
    },
    hooks: { onAttempt: () => void told.push('attempt'), onSettled: () => void told.push('end') },
    ...own,
  })
  const [track] = await service.tracks.list({ trackSlug: 'react' })
  const [first] = track?.packages ?? []
  const candidate = { email: 'ada@candidate.test' }
  const input = { quizId: first?.skills[0]?.quizId ?? '', candidate }
  const invite = await service.invites.create(input)
  const pack = await service.packageInvites.create({ packageId: first?.id ?? '', candidate })
  const refused = await failureOf(service.invites.create({ quizId: 'quiz_of_nobody', candidate }))

  /* The list leaves an open connection behind: a runtime might send the create again on a new one. */
  const hangsUp = new CertifyClient({ baseUrl: cutting, apiKey, ...own })
  await hangsUp.tracks.list({ trackSlug: 'react' })
  const lost = await failureOf(hangsUp.invites.create(input))
  const nobody = new CertifyClient({ baseUrl: nowhere, apiKey, retry: false, ...own })
  const unreachable = await failureOf(nobody.invites.create(input))

  return {
    track: track?.slug,
    invite: [invite.status, invite.challengeUrl.startsWith(`${url}/challenge/`)],
    packageInvites: pack.invites.length === first?.skills.length,
    refused,
    lost,
    unreachable,
    told: told.slice(0, 6).join(' '),
  }
}

/** @param {Promise<unknown>} call */
function failureOf(call) {
  return call.then(
    () => 'no failure',
    ({ code, outcome }) => `${code} ${outcome}`,
  )
}
