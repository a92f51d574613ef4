import { DAY_MS, NOW, PACKAGES, QUIZZES, type RuleSwitches, type Step } from './history.ts'

interface Invite {
  readonly email: string
  readonly quizId: string
  readonly packageId: string | null
  readonly createdAt: number
  readonly mail: boolean
  readonly hook: string | null
  readonly reference: string | null
  readonly follows: { readonly invite: number; readonly kind: string } | null
  followedBy: number | null
  isWithdrawn: boolean
}

interface Attempt {
  readonly invite: number | null
  readonly key: string
  readonly quizId: string
  readonly startedAt: number
  outcome: 'PASSED' | 'FAILED' | 'ABANDONED' | null
  endedAt: number | null
}

/**
 * The rules of the service, read a second time, on their own: lists that are searched from end to end, no index, no
 * identifier. Told the same steps, a world has to answer the same and to look the same.
 */
export class SecondReading {
  now = Date.parse(NOW)
  readonly invites: Invite[] = []
  readonly attempts: Attempt[] = []
  readonly certifications: { key: string; quizId: string; passedAt: number; until: number }[] = []
  readonly mails: number[] = []
  readonly events: string[] = []
  readonly #notReady = new Set<string>()
  readonly #behaviour: RuleSwitches
  #plans: { at: number; invite: number; acts: string[] }[] = []

  constructor(behaviour: RuleSwitches) {
    this.#behaviour = behaviour
  }

  play(step: Step): string {
    switch (step.do) {
      case 'invite':
        return this.#create([step.quizId], { packageId: null, ...step })
      case 'invite package':
        return this.#create(PACKAGES[step.packageId] ?? [], { reference: null, ...step })
      case 'list':
        return Object.keys(PACKAGES)
          .filter((id) => PACKAGES[id]?.every((quizId) => !this.#notReady.has(quizId)))
          .join()
      case 'advance':
        return this.#advance(step.byMs)
      case 'enable':
        this.#notReady.delete(step.quizId)
        return 'ok'
      case 'disable':
        this.#notReady.add(step.quizId)
        if (this.#behaviour.disabledQuizLinks === 'withdrawn') {
          for (const invite of this.invites) if (invite.quizId === step.quizId) invite.isWithdrawn = true
        }
        return 'ok'
      case 'attempt':
        return this.#begin(null, this.keyOf(step.email), step.quizId)
      case 'certify': {
        const running = this.#running(this.keyOf(step.email), step.quizId)
        if (running) this.#end(running, 'PASSED')
        else this.#certify(this.keyOf(step.email), step.quizId)
        return 'ok'
      }
      case 'act':
        break
    }
    return this.#act(step.invite, step.act)
  }

  get unready(): string[] {
    return QUIZZES.map(({ id }) => id).filter((id) => this.#notReady.has(id))
  }

  keyOf(email: string): string {
    return this.#behaviour.candidateIdentity === 'exact-email' ? email : email.toLowerCase()
  }

  statusOf(number: number): string {
    const invite = this.invites[number]
    const attempt = this.attempts.find((each) => each.invite === number)
    if (attempt) return this.stateOf(attempt).status
    if (!invite || this.now >= invite.createdAt + 14 * DAY_MS) return 'EXPIRED'
    return invite.isWithdrawn ? 'WITHDRAWN' : 'PENDING'
  }

  /** What an attempt is by now, where it may have ended with its link. */
  stateOf({ outcome, endedAt, invite: number }: Attempt): { status: string; endedAt: number | null } {
    const invite = number === null ? undefined : this.invites[number]
    if (outcome === null && invite && this.#behaviour.runningAttempt === 'ends') {
      const closesAt = invite.createdAt + 14 * DAY_MS
      if (this.now >= closesAt) return { status: 'ABANDONED', endedAt: closesAt }
    }
    return { status: outcome ?? 'IN_PROGRESS', endedAt }
  }

  #create(
    quizIds: readonly string[],
    asked: Pick<Invite, 'email' | 'hook' | 'packageId' | 'reference'> & { mail: boolean | null },
  ): string {
    const key = this.keyOf(asked.email)
    if (quizIds.some((quizId) => this.#isBlocked(key, quizId))) return 'BAD_USER_INPUT'
    const numbers = quizIds.map((quizId) => {
      const open = this.#behaviour.pendingInvite === 'return-existing' ? this.#openInvite(key, quizId) : -1
      return open >= 0 ? open : this.#issue({ ...asked, quizId, mail: asked.mail ?? true, follows: null })
    })
    return numbers.join()
  }

  #isBlocked(key: string, quizId: string): boolean {
    const isSame = (row: { key: string; quizId: string }): boolean => row.key === key && row.quizId === quizId
    const isCertified = this.certifications.some((row) => isSame(row) && this.now < row.until)
    const isPending = this.#behaviour.pendingInvite === 'refuse' && this.#openInvite(key, quizId) >= 0
    return this.#notReady.has(quizId) || this.#running(key, quizId) !== undefined || isCertified || isPending
  }

  #openInvite(key: string, quizId: string): number {
    return this.invites.findIndex(
      (invite, number) =>
        this.keyOf(invite.email) === key && invite.quizId === quizId && this.statusOf(number) === 'PENDING',
    )
  }

  #running(key: string, quizId: string): Attempt | undefined {
    return this.attempts.find(
      (each) => each.key === key && each.quizId === quizId && this.stateOf(each).status === 'IN_PROGRESS',
    )
  }

  #issue({
    email,
    quizId,
    packageId,
    mail,
    hook,
    reference,
    follows,
  }: Omit<Invite, 'createdAt' | 'followedBy' | 'isWithdrawn'>): number {
    const [name = ''] = email.split(/[+@]/)
    const isMagic = email.endsWith('@candidate.test')
    const isSent = mail && !(isMagic && name === 'bounce')
    const row = { email, quizId, packageId, hook, reference, follows, mail: isSent, createdAt: this.now }
    const number = this.invites.push({ ...row, followedBy: null, isWithdrawn: false }) - 1
    if (isSent && !(isMagic && name === 'lost')) this.mails.push(number)
    const acts: Record<string, string[]> = {
      abandon: ['start', 'abandon'],
      retake: follows ? ['start', 'pass'] : ['start', 'fail', 'retake'],
      'level-up': follows ? ['start', 'pass'] : ['start', 'pass', 'level-up'],
    }
    if (isMagic && acts[name]) this.#plans.push({ at: this.now + 1000, invite: number, acts: acts[name] })
    return number
  }

  #act(number: number, act: string): string {
    const invite = this.invites[number]
    if (!invite) return 'no such invite'
    if (act === 'retake' || act === 'level-up') return this.#claim(number, invite, act)
    const key = this.keyOf(invite.email)
    const status = this.statusOf(number)
    if (act === 'start' || status !== 'IN_PROGRESS') {
      if (status === 'EXPIRED' || status === 'WITHDRAWN') return 'LINK_CLOSED'
      if (status !== 'PENDING') return 'LINK_USED'
      const begun = this.#begin(number, key, invite.quizId)
      if (act === 'start' || begun !== 'ok') return begun
    }
    const attempt = this.#running(key, invite.quizId)
    if (attempt) this.#end(attempt, act === 'pass' ? 'PASSED' : act === 'fail' ? 'FAILED' : 'ABANDONED')
    return 'ok'
  }

  #claim(number: number, invite: Invite, kind: 'retake' | 'level-up'): string {
    const isRetake = kind === 'retake'
    const key = this.keyOf(invite.email)
    const quizId = isRetake ? invite.quizId : invite.quizId === 'bread-1' ? this.#nextBread(key) : ''
    const isEarned = this.statusOf(number) === (isRetake ? 'FAILED' : 'PASSED') && invite.followedBy === null
    const isSecondRetake = isRetake && invite.follows?.kind === 'retake'
    const isThere = QUIZZES.some(({ id }) => id === quizId) && !this.#notReady.has(quizId)
    if (!isEarned || isSecondRetake || !isThere) return 'NO_OFFER'
    if (this.#isBlocked(key, quizId)) return 'NOT_ELIGIBLE'
    const follows = { invite: number, kind }
    invite.followedBy = this.#issue({ ...invite, quizId, packageId: null, mail: false, follows })
    if (invite.hook !== null) this.events.push(`${number} ${kind} ${invite.followedBy}`)
    return 'ok'
  }

  /** Of the READY quizzes one level higher, the first without a certification, or else the first. */
  #nextBread(key: string): string {
    const ready = ['bread-2', 'bread-2-rye'].filter((quizId) => !this.#notReady.has(quizId))
    const isCertified = (quizId: string): boolean =>
      this.certifications.some((row) => row.key === key && row.quizId === quizId && this.now < row.until)
    return ready.find((quizId) => !isCertified(quizId)) ?? ready[0] ?? ''
  }

  #begin(invite: number | null, key: string, quizId: string): string {
    if (this.#running(key, quizId)) return 'ATTEMPT_IN_PROGRESS'
    this.attempts.push({ invite, key, quizId, startedAt: this.now, outcome: null, endedAt: null })
    return 'ok'
  }

  #end(attempt: Attempt, outcome: 'PASSED' | 'FAILED' | 'ABANDONED'): void {
    Object.assign(attempt, { outcome, endedAt: this.now })
    if (outcome === 'PASSED') this.#certify(attempt.key, attempt.quizId)
    const invite = attempt.invite === null ? undefined : this.invites[attempt.invite]
    if (typeof invite?.hook === 'string' && outcome !== 'ABANDONED') this.events.push(`${attempt.invite} ${outcome}`)
  }

  #certify(key: string, quizId: string): void {
    const passed = new Date(this.now)
    const inTwoYears = new Date(passed).setUTCFullYear(passed.getUTCFullYear() + 2)
    const ends = { 'two-years': inTwoYears, '10d': this.now + 10 * DAY_MS, 'never-expires': Infinity }
    const until = ends[this.#behaviour.certificationValidity as keyof typeof ends]
    this.certifications.push({ key, quizId, passedAt: this.now, until })
  }

  #advance(byMs: number): string {
    const end = this.now + byMs
    for (let [next] = this.#plans; next && next.at <= end; [next] = this.#plans) {
      const { at, invite, acts } = next
      const [act = '', ...rest] = acts
      this.#plans = this.#plans.slice(1)
      this.now = at
      const isDone = this.#act(invite, act) === 'ok'
      if (isDone && rest.length > 0) this.#plans.push({ at: at + 1000, invite, acts: rest })
    }
    this.now = end
    return 'ok'
  }
}
