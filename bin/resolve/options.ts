import type { Command } from 'commander'
import type { Finding } from '../../src/ledger/index.ts'
import { addFormatFlags, type Format } from '../bulk/options/bulk-options.ts'
import { CliError } from '../cli-error.ts'
import { once } from '../flags.ts'
import type { ListFlags } from '../ledger/list-invites.ts'

export interface ResolveFlags extends Pick<ListFlags, 'ledger' | 'account' | 'all'> {
  readonly created?: readonly string[]
  readonly notCreated?: boolean
  readonly from?: string
  readonly format?: Format
  readonly encoding?: string
  readonly campaign?: string
  readonly since?: string
  readonly until?: string
  readonly code?: string
  readonly skipInvalid?: boolean
  readonly report?: string
}

export function addResolveFlags(command: Command): Command {
  command
    .option('--created <invite-id...>', 'it was created, with this id; for a package, the ids of all its invites')
    .option('--not-created', 'nothing was created')
    .option('--campaign <name>', 'the unknown sends of this campaign', once)
    .option('--since <when>', 'the unknown sends since: 7d, 2030-01-31 (UTC) or 2030-01-31T09:00:00Z', once)
    .option('--until <when>', 'the unknown sends before this time', once)
    .option('--code <code>', 'the unknown sends with this code, as in TIMED_OUT', once)
    .option('--from <file>', 'a file that says what became of each; - is stdin', once)
  return addFormatFlags(command)
    .option('--all', 'choose from every service and account in the file')
    .option('--skip-invalid', 'leave out what cannot be resolved, and resolve the others')
    .option('--report <file>', 'write the result of each row: .csv, .ndjson or .json', once)
}

/** Where the findings come from. */
export type Source = 'references' | 'selection' | 'file'

/** @throws CliError unless there is one source, with flags that fit it */
export function sourceOf(references: readonly string[], flags: ResolveFlags): Source {
  const { from, format, encoding, campaign, since, until, code, created, notCreated } = flags
  const selection = Object.entries({ campaign, since, until, code }).flatMap(([name, value]) =>
    value === undefined ? [] : `--${name}`,
  )
  const sources = [
    ...(references.length > 0 ? ['references'] : []),
    ...selection.slice(0, 1),
    ...(from === undefined ? [] : ['--from']),
  ]
  if (sources.length > 1) throw new CliError(`${sources.join(' and ')} exclude each other. ${UNCHANGED}`, SEE_HELP)
  if (sources.length === 0) throw new CliError(`it has to know which sends to resolve. ${UNCHANGED}`, GIVE)
  if (from === undefined) {
    const flag = format === undefined ? '--encoding' : '--format'
    if (format ?? encoding) throw new CliError(`${flag} is for the file of --from. ${UNCHANGED}`, SEE_HELP)
    return selection.length > 0 ? 'selection' : 'references'
  }
  if (created === undefined && notCreated !== true) return 'file'
  const flag = created === undefined ? '--not-created' : '--created'
  const message = `--from and ${flag} exclude each other: the file says it for each send. ${UNCHANGED}`
  throw new CliError(message, 'Leave one of them out.')
}

const UNCHANGED = 'Nothing was changed.'
const SEE_HELP = 'See certify invites resolve --help.'
const GIVE =
  'Give references, - to read them from stdin, a selection such as --campaign, or a file with --from. See certify ' +
  'invites resolve --help.'

/** What the flags say about each send; nothing, for a worksheet. @throws CliError if they contradict each other */
export function verdictOf(flags: ResolveFlags): Finding | undefined {
  const { created, notCreated, report } = flags
  return created === undefined && notCreated !== true && report !== undefined ? undefined : findingOf(flags)
}

/** What the flags say about a send. @throws CliError unless they say one thing */
export function findingOf({ created, notCreated = false }: Pick<ResolveFlags, 'created' | 'notCreated'>): Finding {
  const inviteIds = created?.map((each) => each.trim())
  const isBlank = inviteIds?.includes('') === true
  if ((inviteIds === undefined) === notCreated && !isBlank) {
    return inviteIds === undefined ? { notCreated: true } : { created: inviteIds }
  }
  throw new CliError(
    isBlank ? '--created must not be blank.' : 'it takes either --created or --not-created.',
    'Give --created <invite-id>, or --not-created; or only --report, for a worksheet to fill in. See certify invites ' +
      'resolve --help.',
  )
}
