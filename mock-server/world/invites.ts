import { runningAttempt, statusOf, validCertification } from './attempts.ts'
import { DAY_MS, isoTime } from './clock.ts'
import { BETWEEN_ACTS_MS, isEmail, magicOf } from './email-addresses.ts'
import type { Package, Quiz } from '../generated/contract.ts'
import type { Caller, Invite } from './model.ts'
import { type Reason, Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** The path of every link, before its token. */
export const CHALLENGE_PATH = '/challenge/'

/** How long a link stays open. */
const LINK_LIFETIME_MS = 14 * DAY_MS

/** The token in a link; `undefined` if the text is not a link. */
export function tokenIn(link: string): string | undefined {
  return /\/challenge\/([^/?#]+)/.exec(link)?.[1]
}

/** A link in two parts: the base of the service, and the path. */
export function splitLink(challengeUrl: string): { readonly base: string; readonly path: string } {
  const end = challengeUrl.lastIndexOf(CHALLENGE_PATH)
  return { base: challengeUrl.slice(0, end), path: challengeUrl.slice(end) }
}

export interface InviteRequest {
  readonly candidate: { readonly name?: string | null; readonly email: string }
  readonly sendInviteEmail?: boolean | null
  readonly callbackUrl?: string | null
}

export interface QuizInviteRequest extends InviteRequest {
  readonly quizId: string
  readonly externalReference?: string | null
}

export interface PackageInviteRequest extends InviteRequest {
  readonly packageId: string
}

/** The caller, and the base of the links that are created. */
export interface InviteContext {
  readonly caller: Caller
  readonly linkBase: string
}

/** Creates one invite, or throws a {@link Refusal} and changes nothing. */
export function createInvite(world: World, request: QuizInviteRequest, asking: InviteContext): Invite {
  const quiz = world.state.quizzes.get(request.quizId)
  const problems = inputProblems(world, request, asking.caller)
  if (quiz) problems.push(...obstacles(world, request.candidate.email, quiz))
  else problems.push(unknownId(world, 'quiz', request.quizId))
  if (!quiz || problems.length > 0) throw refusal(problems)
  return commit(world, request, quiz, { packageId: null, linkBase: asking.linkBase })
}

/** Creates one invite for each skill of the package, or throws one {@link Refusal} for all of them and changes nothing. */
export function createPackageInvite(
  world: World,
  request: PackageInviteRequest,
  asking: InviteContext,
): { readonly pack: Package; readonly invites: readonly Invite[] } {
  const pack = world.packageOf(request.packageId)
  const quizzes = pack?.quizIds.map((quizId) => world.quizOf(quizId)) ?? []
  const problems = inputProblems(world, request, asking.caller)
  if (!pack) problems.push(unknownId(world, 'package', request.packageId))
  else if (quizzes.length === 0) problems.push(bad(`The package "${pack.name}" (${pack.id}) has no skills.`))
  problems.push(...quizzes.flatMap((quiz) => obstacles(world, request.candidate.email, quiz)))
  if (!pack || problems.length > 0) throw refusal(problems, pack)
  const { linkBase } = asking
  return { pack, invites: quizzes.map((quiz) => commit(world, request, quiz, { packageId: pack.id, linkBase })) }
}

function inputProblems(world: World, request: InviteRequest, caller: Caller): Reason[] {
  const { candidate, callbackUrl = null } = request
  const { behaviour } = world
  const problems: Reason[] = []
  const invalid = (message: string): void => {
    problems.push({ code: behaviour.invalidInputCode, message })
  }
  if (!isEmail(candidate.email, behaviour.internationalEmail)) invalid('candidate.email is not a valid e-mail address.')
  if (callbackUrl !== null && caller.kind === 'session') {
    invalid('callbackUrl can only be set with an API key, not in an admin session.')
  }
  if (callbackUrl !== null && !(callbackUrl.startsWith('https://') && URL.canParse(callbackUrl))) {
    invalid('callbackUrl must be a valid URL that starts with https://.')
  }
  if (behaviour.candidateName === 'required' && !candidate.name?.trim()) {
    problems.push(bad('candidate.name is missing.'))
  }
  return problems
}

/** Every rule that refuses an invite of this candidate to this quiz now; empty if none does. */
export function obstacles(world: World, email: string, quiz: Quiz): Reason[] {
  const name = `"${quiz.skillName}" (${quiz.id})`
  const candidateKey = world.keyOf(email)
  const running = runningAttempt(world, candidateKey, quiz.id)
  const valid = validCertification(world, candidateKey, quiz.id)
  const pending = world.behaviour.pendingInvite === 'refuse' ? openInvite(world, candidateKey, quiz) : undefined
  const reasons = [
    quiz.ready ? null : `The quiz ${name} is not READY.`,
    running ? `The candidate has an attempt in progress for ${name}.` : null,
    valid ? `The candidate holds a certification for ${name} that is valid ${until(valid.validUntil)}.` : null,
    pending ? `The candidate has a PENDING invite for ${name} until ${isoTime(pending.expiresAt)}.` : null,
  ]
  return reasons.filter((reason) => reason !== null).map((message) => ({ code: 'BAD_USER_INPUT', message }))
}

/** The first invite of this candidate for this quiz that is PENDING. */
function openInvite(world: World, candidateKey: string, quiz: Quiz): Invite | undefined {
  return world.state
    .inviteIdsOf(candidateKey, quiz.id)
    .map((inviteId) => world.inviteOf(inviteId))
    .find((invite) => statusOf(world, invite) === 'PENDING')
}

function until(end: number | null): string {
  return end === null ? 'for ever' : `until ${isoTime(end)}`
}

function unknownId(world: World, kind: 'quiz' | 'package', id: string): Reason {
  return { code: world.behaviour.unknownIdCode, message: `There is no ${kind} with the id ${JSON.stringify(id)}.` }
}

function bad(message: string): Reason {
  return { code: 'BAD_USER_INPUT', message }
}

/** One refusal that gives every reason. */
function refusal(problems: readonly Reason[], pack?: Package): Refusal {
  const what = pack ? [`No invite was created for the package "${pack.name}" (${pack.id}).`] : []
  return new Refusal(
    problems[0]?.code ?? 'BAD_USER_INPUT',
    [...what, ...problems.map(({ message }) => message)].join(' '),
  )
}

/** A new invite, or the open one if the switch `pendingInvite` says so. */
function commit(
  world: World,
  request: InviteRequest & { readonly externalReference?: string | null },
  quiz: Quiz,
  { packageId, linkBase }: { readonly packageId: string | null; readonly linkBase: string },
): Invite {
  const { candidate, callbackUrl = null, externalReference = null, sendInviteEmail } = request
  if (world.behaviour.pendingInvite === 'return-existing') {
    const existing = openInvite(world, world.keyOf(candidate.email), quiz)
    if (existing) return existing
  }
  return addInvite(world, quiz, {
    candidate: { name: candidate.name ?? null, email: candidate.email },
    callbackUrl,
    externalReference,
    packageId,
    emailWanted: sendInviteEmail !== false,
    linkBase,
    followUpOf: null,
  })
}

export interface NewInvite
  extends Pick<Invite, 'candidate' | 'callbackUrl' | 'externalReference' | 'packageId' | 'followUpOf'> {
  readonly emailWanted: boolean
  readonly linkBase: string
}

/** Adds an invite after every rule was checked. Sends its e-mail, and plans the actions of a magic address. */
export function addInvite(world: World, quiz: Quiz, { emailWanted, linkBase, ...rest }: NewInvite): Invite {
  const { state, clock } = world
  const { email } = rest.candidate
  const magic = magicOf(email)
  const createdAt = clock.now()
  const candidateKey = world.keyOf(email)
  const { inviteId, token } = state.nextInvite(candidateKey, quiz.id)
  const invite: Invite = {
    inviteId,
    token,
    quizId: quiz.id,
    skillName: quiz.skillName,
    level: quiz.level,
    candidateKey,
    challengeUrl: linkBase + CHALLENGE_PATH + token,
    createdAt,
    expiresAt: createdAt + LINK_LIFETIME_MS,
    emailSent: emailWanted && magic?.mail !== 'bounced',
    followedBy: null,
    ...rest,
  }
  state.addInvite(invite)
  if (invite.emailSent && magic?.mail !== 'lost') {
    const subject = `Your invite to certify your skill: ${invite.skillName}`
    const { challengeUrl } = invite
    state.mails.push({ to: email, subject, challengeUrl, inviteId, sentAt: createdAt })
  }
  const [first, ...acts] = magic?.acts?.(invite) ?? []
  if (first) state.plans.push({ at: createdAt + BETWEEN_ACTS_MS, inviteId, acts: [first, ...acts] })
  world.noteChange()
  return invite
}
