import { openAddress, openSecretLink, READING_MS } from '../browser/open-page.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import { readService, SANDBOX, shownAddress } from '../config/connection.ts'
import type { LedgerFlags } from '../config/ledger.ts'
import type { Context, DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { existingEntriesOf, rowNamed } from '../ledger/find-entries.ts'
import { addLedgerFlags } from '../ledger/flags.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { printable } from '../terminal/printable.ts'

interface OpenFlags extends LedgerFlags {
  readonly print?: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Opens the challenge link of an invite in the ledger, or, without an id, the page of a running mock. The mock is that ' +
        'of the base URL; without one, that of the profile sandbox.',
      'A challenge link is for its candidate: whoever opens it can take the attempt. Other users of a machine can read the ' +
        'arguments of a process. So the browser is given the path of a file that only you can read, and that sends it on ' +
        `to the link; the file is deleted after ${READING_MS / 1000} seconds, or by Ctrl-C. A browser that cannot read temporary files, such as ` +
        'one of snap or Flatpak, cannot open it: use --print.',
      'The program is that of BROWSER, else xdg-open, open on macOS, or the default browser on Windows. It runs without a shell.',
    ],
    output: 'nothing; with --print the address.',
    json: '{"inviteId","url"}; null for the page of a mock, and for a link that is not printed.',
    examples: ['certify open', 'certify open inv_123', 'certify open inv_123 --print'],
  })
    .option('--print', 'print the address, and open nothing')
    .argument('[invite-id]', 'the invite, or the reference of a send, as `certify invites list --quiet` prints them')
    .action(async (id: string | undefined, flags: OpenFlags) => {
      const { io } = context
      const isPrinted = flags.print === true
      if (id === undefined) {
        const url = await mockPage(context)
        if (!isPrinted) await openAddress(io, url)
        return tell(context, { inviteId: null, url }, isPrinted)
      }
      const { inviteId, url } = await linkOf(context, id, flags)
      if (!isPrinted) {
        await context.output.remark('Opening the link in your browser. Press Ctrl-C when it is there.')
        await openSecretLink(io, url)
      }
      return tell(context, { inviteId, url: isPrinted ? url : null }, isPrinted)
    })
}

interface Opened {
  readonly inviteId: string | null
  readonly url: string | null
}

async function tell({ output }: Context, opened: Opened, isPrinted: boolean): Promise<void> {
  await output.data({
    value: opened,
    columns: [{ title: 'ADDRESS', value: ({ url }: Opened) => url }],
    rows: isPrinted ? [opened] : [],
    draw: () => (isPrinted ? `${printable(opened.url ?? '')}\n` : ''),
  })
}

async function mockPage({ io, program }: Context): Promise<string> {
  const base = (readService(io, program.root.opts()).baseUrl.value ?? SANDBOX.baseUrl).replace(/(?<!\/)\/+$/, '')
  if (!/^https?:/i.test(base) || !URL.canParse(base)) {
    throw new CliError('the base URL is no http or https URL.', 'Give --base-url, or --profile sandbox.')
  }
  const { mockWorldAt } = await import('../../src/ledger/index.ts')
  const world = await mockWorldAt(base).catch(() => '')
  if (world !== '') return `${base}/`
  throw notFoundError(
    `there is no mock with a page at ${shownAddress(base)}, or it is not on this machine.`,
    'Start `certify mock`, and give --profile sandbox. To open the link of an invite, give its id.',
  )
}

function linkOf(context: Context, id: string, flags: OpenFlags) {
  return useLedger(context, flags, async (ledger, place) => {
    const [newest] = await existingEntriesOf(ledger, id, place)
    const { inviteId, challengeUrl: url, expiresAt } = rowNamed(id, newest, true, place)
    if (url === null || !/^https?:/i.test(url) || !URL.canParse(url)) {
      throw notFoundError(
        'the ledger has no link of this invite.',
        'It has none of a send that is unknown or refused, of an invite that was resolved by hand, and of a follow-up.',
      )
    }
    if (expiresAt !== null && Date.parse(expiresAt) <= context.io.now()) {
      await context.output.warn(`the invite expired at ${expiresAt}.`)
    }
    return { inviteId, url }
  })
}
