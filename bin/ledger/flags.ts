import type { Command } from 'commander'
import { once } from '../flags.ts'
import { IF_INVITED, IF_UNKNOWN } from './create-with-ledger.ts'

/** Notes for the help of several commands. */
export const UNENCRYPTED =
  'The ledger is a file on this machine, or in Postgres. It stores names, addresses and links unencrypted; only the owner ' +
  'of the file, or who may read the database, can read it.'

/** How a ledger in Postgres is named. */
export const POSTGRES_NOTE =
  'Several processes and machines share a ledger in Postgres: --ledger postgres://<user>@<host>/<database>?schema=<schema>. ' +
  'The password comes from PGPASSWORD, a password file, a service file (?service=<name>) or a URL in CERTIFY_LEDGER, never ' +
  'from a flag. See docs/postgres.md.'

export const LEDGER_CREATE_NOTE =
  'With --ledger the create is recorded in a ledger before it is sent, and again when it has ended. It is refused if ' +
  'the ledger has an open invite for the candidate, or a send whose outcome is unknown. The ledger does not see ' +
  'creates without it. Profiles with several keys of one account need the same --account; the common default may ' +
  'refuse too much, but never invites twice. A program that uses the same ledger needs the same account, too. If none was ' +
  'given, nothing is sent to a candidate whom the ledger has under another account, nor if it knows the service only so.'

export const LEDGER_ONLY_NOTE =
  'It shows what the ledger of this machine has recorded, by --ledger and by certify bulk: the specification of the ' +
  'service shows no operation that lists invites. Creates without the ledger are missing. It needs no key and no network.'

export const LIMIT_NOTE =
  'A terminal shows the first 50, and the number of the others; a pipe and --json show all. --limit overrides both.'

export const LISTED_SCOPE_NOTE =
  'It lists the current service (--base-url, CERTIFY_BASE_URL or the profile) and the named account; with --all, or ' +
  `without a service, everything in the file. Earlier worlds of a mock are listed as well. ${LIMIT_NOTE}`

const ACCOUNT = 'a name of your own for the account of the key, the same for all its keys; default: default'

/** Adds the flags of a command that always has a ledger. */
export function addLedgerFlags(command: Command): Command {
  return command
    .option('--ledger <path>', 'the file of the ledger, or postgres://… (CERTIFY_LEDGER)', once)
    .option('--account <name>', `${ACCOUNT} (CERTIFY_ACCOUNT)`, once)
}

/** Adds the flags of a create, which uses the ledger if it is turned on. */
export function addLedgerCreateFlags(command: Command): Command {
  return command
    .option('--ledger [path]', 'record it, and refuse a second invite of a candidate (CERTIFY_LEDGER)', once)
    .option('--no-ledger', 'do not record it, overriding every setting')
    .option('--account <name>', `${ACCOUNT} (CERTIFY_ACCOUNT)`, once)
    .option(`--if-invited <${IF_INVITED.join('|')}>`, 'if the ledger has an open invite; default: refuse', once)
    .option(`--if-unknown <${IF_UNKNOWN.join('|')}>`, 'if an earlier outcome is unknown; default: refuse', once)
    .option('--allow-clock-skew', 'send even if the clock is behind the latest time that the ledger has seen')
}

export function addListFlags(command: Command): Command {
  return addLimit(addShowLinks(command).option('--all', 'for every service and account in the file'))
}

export function addShowLinks(command: Command): Command {
  return command.option('--show-links', 'show links unmasked: whoever has one can use it')
}

export function addLimit(command: Command): Command {
  return command.option('--limit <number>', 'the most rows to list', once)
}
