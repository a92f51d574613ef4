import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Question } from '../io.ts'

/** Asks on stderr and reads a line from the terminal. The answer to a hidden question is not shown. */
export function ask({ text, hidden = false }: Question, signal: AbortSignal, onInterrupt: () => void) {
  const { stdin, stderr } = process
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: hidden ? unseen : stderr, terminal: true, historySize: 0 })
  /* Both fail if the terminal is lost. */
  for (const each of [lines, stderr]) each.off('error', ignore).on('error', ignore)
  return new Promise<string | undefined>((resolve) => {
    let answer: string | undefined
    const close = () => lines.close()
    lines.once('line', (line) => {
      answer = line
      close()
    })
    lines.once('close', () => {
      signal.removeEventListener('abort', close)
      if (hidden || answer === undefined) stderr.write('\n')
      resolve(answer)
    })
    /* The terminal is in raw mode: Ctrl-C arrives as a key, and must be turned back into a signal. */
    lines.on('SIGINT', onInterrupt)
    signal.addEventListener('abort', close)
    if (hidden) stderr.write(text)
    else lines.setPrompt(text)
    lines.prompt()
  })
}

function ignore(): void {}
