import type { Ended } from './scenario.ts'
import type { Breach, Judgement } from './truth.ts'

/** The totals of many calls. */
export class Tally {
  /** Requests that arrived after their call had been judged. */
  strays = 0
  private readonly counts = new Map<string, number>()
  private readonly findings: { readonly breach: Breach; readonly where: string; readonly told: string }[] = []

  add({ scenario, record, told }: Ended, { breaches, excuses }: Judgement): void {
    this.count('calls')
    this.count('requests', record.requests)
    this.count('on kept connections', record.onKept)
    this.count('executed', record.executed.length)
    if (record.requests === 0) this.count('never arrived')
    this.count(`told ${told.outcome}`)
    for (const { what, excuses: breach } of excuses) this.count(`assumed against a ${breach}: ${what}`)
    for (const breach of breaches) {
      this.count(BREACHES[breach])
      const { fetch, secure, keeps } = scenario.way
      const way = `${fetch}, ${secure ? 'https' : 'http'}, ${keeps ? 'kept' : 'fresh'}`
      const where = `${scenario.name} [${way}]`
      this.findings.push({
        breach,
        where,
        told: `${told.outcome} ${told.code ?? ''}, executed ${record.executed.length}×`,
      })
    }
  }

  /** How often something happened. */
  of(what: string): number {
    return this.counts.get(what) ?? 0
  }

  /** The breaches, the first of them described. */
  breaches(shown = 20): readonly string[] {
    const lines = this.findings.slice(0, shown).map(({ breach, where, told }) => `${breach}: ${where}: told ${told}`)
    const more = this.findings.length - lines.length
    if (more > 0) lines.push(`and ${more} more`)
    return this.strays > 0 ? [...lines, `${this.strays} requests came after the end of their call`] : lines
  }

  report(title: string): string {
    const always = [...Object.values(BREACHES), 'told unknown'].map((what) => [what, this.of(what)] as const)
    const all = new Map([...this.counts, ...always, ['strays', this.strays] as const])
    const lines = [...all].map(([what, count]) => `${String(count).padStart(9)} ${what}`)
    return [title, ...lines].join('\n')
  }

  private count(what: string, by = 1): void {
    this.counts.set(what, this.of(what) + by)
  }
}

const BREACHES: Readonly<Record<Breach, string>> = {
  lie: 'lies',
  repeat: 'repeats',
  overclaim: 'overclaims',
  loss: 'losses',
}
