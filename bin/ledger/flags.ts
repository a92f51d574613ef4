import type { Command } from 'commander'
import { once } from '../flags.ts'
import { IF_INVITED, IF_UNKNOWN } from './create-with-ledger.ts'

/** What is said wherever a command makes or shows the record. */
export const UNENCRYPTED =
  'The ledger is a file on this machine. It stores names, addresses and links unencrypted; only its owner can read it.'

/** What an account is, wherever one can be named. */
const ACCOUNT = 'a name of your own for the account of the key, the same for all its keys; default: default'

/** The flags of a command that always has a ledger. */
export function addLedgerFlags(command: Command): Command {
  return command
    .option('--ledger <path>', 'the file of the ledger (CERTIFY_LEDGER)', once)
    .option('--account <name>', `${ACCOUNT} (CERTIFY_ACCOUNT)`, once)
}

/** The flags of a create, which has a ledger where it is turned on. */
export function addLedgerCreateFlags(command: Command): Command {
  return command
    .option('--ledger [path]', 'record it, and refuse a second invite of a candidate (CERTIFY_LEDGER)', once)
    .option('--no-ledger', 'do not record it, whatever is set')
    .option('--account <name>', `${ACCOUNT} (CERTIFY_ACCOUNT)`, once)
    .option(
      `--if-invited <${IF_INVITED.join('|')}>`,
      'what to do where the ledger has an open invite; default: refuse',
      once,
    )
    .option(
      `--if-unknown <${IF_UNKNOWN.join('|')}>`,
      'what to do where an earlier outcome is unknown; default: refuse',
      once,
    )
}

/** What the help of every create says of the ledger. */
export const LEDGER_CREATE_NOTE =
  'With --ledger the create goes through a record of your own: it is written down before it is sent and again when it ' +
  'has ended, and is refused where the record has an open invite for the candidate, or a send whose outcome is unknown. ' +
  'It sees nothing that was sent without it. Profiles that use one account with several keys need the same --account; ' +
  'the default is one for all, which may refuse too much, and never invites twice.'

/** Where the commands on recorded invites have it from. */
export const LEDGER_ONLY_NOTE =
  'It is what the ledger of this machine has recorded, by --ledger and by certify bulk: the service itself can list ' +
  'nothing. What was sent without the ledger is not in it. It needs no key and no network.'

/** What a list leaves out. */
export const LISTED_SCOPE_NOTE =
  'Of the service that is set (--base-url, CERTIFY_BASE_URL or the profile) and of the account, where one is named; of ' +
  'everything in the file where no service is set, or with --all. Earlier worlds of a mock are listed as well. On a ' +
  'terminal the first 50, and how many there are besides; into a pipe and with --json all, unless --limit is given.'

/** The flags of a list of what the ledger has. */
export function addListFlags(command: Command): Command {
  return addShowLinks(command)
    .option('--all', 'of every service and account in the file')
    .option('--limit <number>', 'so many at most', once)
}

export function addShowLinks(command: Command): Command {
  return command.option('--show-links', 'show links unmasked: whoever has one can use it')
}
