import type { Command } from 'commander'
import { once } from './flags.ts'

/** What is said wherever a command makes or shows the record. */
export const IN_CLEAR =
  'The ledger is a file of this machine that holds names, addresses and links in clear, readable for its owner alone.'

/** What an account is, wherever one can be named. */
const ACCOUNT = 'a name of your own for the account of the key, the same for all its keys; default: default'

/** The flags of a command that always has a ledger. */
export function addLedgerFlags(command: Command): Command {
  return command
    .option('--ledger <path>', 'the file of the ledger (CERTIFY_LEDGER)', once)
    .option('--account <name>', `${ACCOUNT} (CERTIFY_ACCOUNT)`, once)
}
