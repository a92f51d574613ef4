import { CliError } from '../cli-error.ts'
import type { Child, Env } from '../io.ts'

/**
 * The program that opens an address or a file in the browser of the user: that of BROWSER, else the one of the system.
 * It runs without a shell.
 *
 * @param target is in the arguments, which other users of the machine can read
 * @throws CliError if there is no display
 */
export function openerOf(
  target: string,
  given: Env,
  isAtTerminal: boolean,
  platform: string = process.platform,
): Child {
  /* A browser has no use for the key. */
  const env = Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith('CERTIFY_')))
  /* It may be a list: the first one counts. */
  const [first = ''] = env['BROWSER']?.split(platform === 'win32' ? ';' : ':') ?? []
  const [program, ...args] = first.trim().split(/\s+/)
  if (program) {
    const isPlaced = args.some((each) => each.includes('%s'))
    return { program, args: isPlaced ? args.map((each) => each.replace('%s', () => target)) : [...args, target], env }
  }
  if (!isAtTerminal) throw noBrowser('no terminal')
  if (platform === 'win32') return { program: 'rundll32', args: ['url.dll,FileProtocolHandler', target], env }
  if (platform === 'darwin') return { program: 'open', args: [target], env }
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) throw noBrowser('no display')
  return { program: 'xdg-open', args: [target], env }
}

function noBrowser(what: string): CliError {
  return new CliError(
    `there is ${what}, so no browser can be opened.`,
    'Give --print to print the address instead, or set BROWSER to the program that opens it.',
    { code: 'COMMAND_NOT_RUN' },
  )
}
