import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cannotListen, systemCode } from '../cli-error.ts'
import { addLedgerOptions } from '../config/settings.ts'
import { stateFolder } from '../config/store.ts'
import type { DefineCommand } from '../context.ts'
import { makeFolder, replaceFile } from '../files.ts'
import { filled, wholeNumber } from '../flags.ts'
import { addManual } from '../help.ts'
import type { Io } from '../io.ts'
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
    .option('--host <address>', 'the address to listen on; default: 127.0.0.1', filled)
    .option('--open', 'open it in the browser')
  addManual(addLedgerOptions(command), {
    about:
      'Counts, records, callbacks, and each create whose outcome is unknown, with a question to send to the candidate. It sends ' +
      'nothing to the service, and reads no key. Its URL has a token that opens it once: whoever opens it can decide. Enter prints ' +
      'another one.',
    output: 'its URL. With --json one line, {"url","ledger"}.',
    advancedOptions: '--account',
    examples: ['certify studio --open', 'certify studio --ledger postgres://db.internal/hiring'],
    guide: 'ledger.md',
  }).action(async ({ port, host, open = false }: Flags) => {
    const { io, output, prompts } = context
    await useLedger(context, async (ledger, place) => {
      const { startStudio, pageTo } = await import('../studio/server.ts')
      const { origin, value } = place.account
      const account = origin === 'default' ? undefined : value
      const studio = await startStudio({ ledger, account, by: userName(), now: io.now }, { port, host }).catch(
        (error: unknown) => {
          throw cannotListen(error, port, host, 'Choose another port with --port, or --port 0 for a free one.')
        },
      )
      const page = join(stateFolder(io.env), `studio-${randomUUID()}.html`)
      const print = async () => {
        const url = studio.newUrl()
        if (output.json) await output.document({ url, ledger: ledger.path }, true)
        else await output.text(`${url}\n`)
      }
      try {
        await print()
        await output.remark(
          'Open it in your browser: it opens once. Enter prints another URL, Ctrl-C stops the studio.',
        )
        /* Listens from now on: the command that starts the browser may run as long as that. */
        const interrupted = untilInterrupted(io.interruption)
        await ignoringSignals(async () => {
          if (prompts.possible) atEachLine(io, print).catch(() => {})
          if (open) await openInBrowser(page, pageTo(studio.newUrl(() => rmSync(page, { force: true }))))
          await interrupted
        })
      } finally {
        rmSync(page, { force: true })
        await studio.close()
      }
    })

    /* Every user of the machine sees arguments, so the browser gets a file, which only this user can read. */
    async function openInBrowser(page: string, html: string): Promise<void> {
      const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
      try {
        makeFolder(dirname(page))
        replaceFile(page, html)
      } catch (error) {
        return output.warn(`${page} cannot be written (${systemCode(error)}): open the address yourself.`)
      }
      const ended = await io.run({ program, args: [page], env: io.env })
      /* Explorer ends with 1 also when it has opened the page. */
      if ('failure' in ended) await output.warn(`${program} could not be started: open the address yourself.`)
    }
  })
}

async function atEachLine({ stdin, interruption }: Io, act: () => Promise<void>): Promise<void> {
  for await (const chunk of stdin.bytes(interruption)) if (chunk.includes(NEWLINE)) await act()
}

const NEWLINE = 10
