import type { Finding, Ledger, LedgerFilter, LedgerState } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { readMoment } from '../config/duration.ts'
import type { Io } from '../io.ts'
import { minuteOf } from '../ledger/invite-row.ts'
import type { ScopeFilter } from '../ledger/list-invites.ts'
import { rowCount } from '../terminal/numbers.ts'
import type { Fields } from '../terminal/output.ts'
import { readFindingFile } from './finding-file.ts'
import type { GivenFinding } from './given-finding.ts'
import { type ResolveFlags, type Source, verdictOf } from './options.ts'

/** What a person gave: the findings, or a selection that the ledger turns into findings. */
export interface Given {
  /** What a row is called. */
  readonly noun: 'reference' | 'row' | 'send'
  /** For the plan. */
  readonly fields: Fields
  readonly findings: (ledger: Ledger, scope: ScopeFilter) => Promise<readonly GivenFinding[]>
  /** The number of sends that would be chosen if they were not still being sent. */
  readonly sending?: (ledger: Ledger, scope: ScopeFilter) => Promise<number>
}

/** Reads what does not need the ledger. @throws CliError */
export async function readGiven(
  io: Io,
  source: Source,
  references: readonly string[],
  flags: ResolveFlags,
): Promise<Given> {
  if (source === 'file') return givenInFile(io, flags)
  const finding = verdictOf(flags)
  if (source === 'selection') return selected(io, flags, finding)
  const words = references.includes('-') ? await fromStdin(io, references) : references
  const rows = words.map((reference, index) => ({ row: index + 1, reference, finding, faults: [] }))
  return { noun: 'reference', fields: [], findings: async () => rows }
}

async function givenInFile(io: Io, { from = '', format, encoding, skipInvalid = false }: ResolveFlags): Promise<Given> {
  const options = { ...(format && { format }), ...(encoding && { encoding }), skipInvalid }
  const { name, ignored, rows, ...read } = await readFindingFile(io, from, options)
  return {
    noun: 'row',
    fields: [
      ['file', `${name}: ${rowCount(rows.length)}, ${read.format} in ${read.encoding}`],
      ...(ignored.length === 0 ? [] : [['ignored', ignored.map((each) => `"${each}"`).join(', ')] as const]),
    ],
    findings: async () => rows,
  }
}

async function fromStdin(io: Io, references: readonly string[]): Promise<readonly string[]> {
  if (references.length > 1) throw new CliError('- and references exclude each other. Nothing was changed.', FROM_STDIN)
  if (io.stdin.isTTY) throw new CliError('stdin is a terminal. Nothing was changed.', FROM_STDIN)
  return (await io.stdin.text()).split(/\s+/).filter((word) => word !== '')
}

const FROM_STDIN = 'Pipe references in, as in `certify invites resolve - --report found.csv < references.txt`.'

function selected(io: Io, { campaign, code, ...flags }: ResolveFlags, finding: Finding | undefined): Given {
  const moment = (flag: 'since' | 'until') => {
    const text = flags[flag]
    return text === undefined ? undefined : readMoment(`--${flag}`, text, io.now())
  }
  const [since, until] = [moment('since'), moment('until')]
  if (since !== undefined && until !== undefined && until <= since) {
    throw new CliError('--until is not after --since. Nothing was changed.', 'Give a later time.')
  }
  const filter: LedgerFilter = { campaign, since }
  const chosen = [
    ...(campaign === undefined ? [] : [`campaign ${campaign}`]),
    ...(since === undefined ? [] : [`sent since ${timeOf(since)}`]),
    ...(until === undefined ? [] : [`sent before ${timeOf(until)}`]),
    ...(code === undefined ? [] : [`code ${code.toUpperCase()}`]),
  ]
  /* Not every ledger has a filter for the end. */
  async function* matching(ledger: Ledger, scope: ScopeFilter, state: LedgerState) {
    for await (const entry of ledger.list({ ...scope, ...filter, state })) {
      if (until === undefined || Date.parse(entry.sentAt) < until) yield entry
    }
  }
  return {
    noun: 'send',
    fields: [['chosen', `unknown sends: ${chosen.join(', ')}`]],
    async findings(ledger, scope) {
      const rows: GivenFinding[] = []
      for await (const entry of matching(ledger, scope, 'unknown')) {
        const isChosen = code === undefined || entry.code === code.toUpperCase()
        if (isChosen) rows.push({ row: rows.length + 1, entry, finding, faults: [] })
      }
      return rows
    },
    async sending(ledger, scope) {
      const references = new Set<string>()
      for await (const { reference } of matching(ledger, scope, 'sending')) references.add(reference)
      return references.size
    },
  }
}

function timeOf(ms: number): string {
  return `${minuteOf(new Date(ms).toISOString())} UTC`
}
