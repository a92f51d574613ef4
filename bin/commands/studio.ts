import { cannotListen } from '../cli-error.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { once, wholeNumber } from '../flags.ts'
import { addManual } from '../help.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { userName } from '../ledger/resolve.ts'
import { ignoringSignals, untilInterrupted } from '../sandbox/ignore-signals.ts'

interface Flags {
  readonly port: number
  readonly host?: string
  readonly open?: boolean
}

export const define: DefineCommand = (command, context) => {
  command
    .option('--port <port>', 'the port; 0 picks a free one; default: 0', wholeNumber(0, 65_535), 0)
    .option('--host <address>', 'the address to listen on; default: 127.0.0.1', once)
    .option('--open', 'open it in the browser')
  addManual(addLedgerOptions(command), {
    about:
      'Counts, records, callbacks, and each create whose outcome is unknown, with a question to send to the candidate. It sends ' +
      'nothing to the service, and reads no key. Its URL has a token: anyone who has it can decide.',
    output: 'its URL. With --json one line, {"url","ledger"}.',
    more: '--account',
    examples: ['certify studio --open', 'certify studio --ledger postgres://db.internal/hiring'],
    guide: 'ledger.md',
  }).action(async ({ port, host, open = false }: Flags) => {
    const { io, output } = context
    await useLedger(context, async (ledger, place) => {
      const { startStudio } = await import('../studio/server.ts')
      const { origin, value } = place.account
      const account = origin === 'default' ? undefined : value
      const studio = await startStudio({ ledger, account, by: userName(), now: io.now }, { port, host }).catch(
        (error: unknown) => {
          throw cannotListen(error, port, host, 'Choose another port with --port, or --port 0 for a free one.')
        },
      )
      try {
        if (output.json) await output.document({ url: studio.url, ledger: ledger.path }, true)
        else await output.text(`${studio.url}\n`)
        await output.remark('Open it in your browser. Ctrl-C stops it.')
        await ignoringSignals(async () => {
          if (open) await openInBrowser(studio.url)
          await untilInterrupted(io.interruption)
        })
      } finally {
        await studio.close()
      }
    })

    async function openInBrowser(url: string): Promise<void> {
      const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
      const ended = await io.run({ program, args: [url], env: io.env })
      /* Explorer ends with 1 also when it has opened the page. */
      if ('failure' in ended) await output.warn(`${program} could not be started: open the address yourself.`)
    }
  })
}
