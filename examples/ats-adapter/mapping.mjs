// What the fields of the ATS mean here, and what our results mean there. Pure functions: no request, no database.

/** The tests that a recruiter can choose: every package, and every quiz of a package. */
export function testsOf(tracks) {
  const packages = tracks.flatMap((track) => track.packages)
  const skills = new Map(packages.flatMap((each) => each.skills).map((skill) => [skill.quizId, skill]))
  return [
    ...packages.map(({ id, name, level, skills: { length } }) => ({
      partner_test_id: `package:${id}`,
      partner_test_name: `${name ?? id}, ${level ?? 'any level'} (${length} skills)`,
    })),
    ...[...skills].map(([quizId, { skillName, level }]) => ({
      partner_test_id: `quiz:${quizId}`,
      partner_test_name: `${skillName ?? quizId}, ${level ?? 'any level'}`,
    })),
  ]
}

/** The input of a create; `undefined` if the request is not as documented. */
export function inputOf(body) {
  const { partner_test_id: testId, candidate } = body ?? {}
  const [, kind, id] = /^(package|quiz):(.+)$/.exec(testId) ?? []
  const { first_name: first, last_name: last, email } = candidate ?? {}
  if (id === undefined || typeof email !== 'string') return undefined
  const name = [first, last].filter((part) => typeof part === 'string' && part.trim() !== '').join(' ')
  const invited = { candidate: { email, ...(name !== '' && { name }) } }
  return kind === 'package' ? { packageId: id, ...invited } : { quizId: id, ...invited }
}

/**
 * The reference of the work. The ATS gives each test of a candidate a URL, and the same one when it repeats a request. So
 * the path of that URL is the reference, and the URL can be read back from it: nothing else has to be stored.
 */
export function referenceOf(url, origin) {
  if (!URL.canParse(url) || new URL(url).origin !== origin) return undefined
  const { pathname, search } = new URL(url)
  const reference = `ats.${Buffer.from(pathname + search).toString('base64url')}`
  return pathname !== '/' && reference.length <= 120 ? reference : undefined
}

/** The URL of a reference: where the ATS wants to hear that there is news. */
export function urlOf(reference, origin) {
  const [, path] = /^ats\.([\w-]+)/.exec(reference) ?? []
  /* Joined as text: as a relative URL, a path that begins with `//` would name another host, which would get the key. */
  return path && origin + Buffer.from(path, 'base64url').toString()
}

/** The answer to `test_status`. `skillCount` is how many skills the test has. */
export function statusOf(entry, { skillCount, profileUrl, now }) {
  if (entry.state !== 'created') return { partner_status: STATUS_OF_STATE[entry.state] }
  const results = entry.invites.map((invite) => resultOf(invite, entry.followUps))
  const finished = results.filter((result) => result !== undefined)
  const metadata = Object.fromEntries(
    entry.invites.map((invite, index) => [
      invite.skillName ?? invite.quizId ?? invite.inviteId,
      results[index] ?? 'open',
    ]),
  )
  if (finished.length >= Math.max(skillCount, 1)) {
    const passed = finished.filter((result) => result === 'passed').length
    const score = Math.round((100 * passed) / finished.length)
    return { partner_status: 'complete', partner_profile_url: profileUrl, partner_score: score, metadata }
  }
  if (entry.invites.some(({ expiresAt }, index) => results[index] === undefined && Date.parse(expiresAt) <= now)) {
    return { partner_status: 'expired', metadata }
  }
  return { partner_status: finished.length > 0 ? 'in_progress' : 'invited', metadata }
}

/* Only "complete" means something to the ATS. A recruiter reads the others. */
const STATUS_OF_STATE = {
  sending: 'sending',
  unknown: 'unknown: a person has to find out whether the candidate was invited',
  refused: 'not_sent',
  'not-executed': 'not_sent',
}

/* A retake counts for the invite that it came from. A level-up does not. */
function resultOf({ inviteId, result }, followUps = []) {
  if (result === 'passed') return result
  const retakes = followUps.filter(({ followUpOf, kind }) => followUpOf === inviteId && kind === 'retake')
  return retakes.map((retake) => resultOf(retake, followUps)).find((each) => each !== undefined) ?? result
}
