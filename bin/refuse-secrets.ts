import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

/* argv is visible to everyone on the machine and saved in shell histories, so secrets are refused there. */
const SECRET_FLAG = /^--?(x-)?(api-?key|key|token|secret|password)(=|$)/i
const LOOKS_LIKE_KEY = /^(?:Bearer\s+\S+|(?:ck|sk)_[\w-]{12,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*)$/i

/** Refuses a command line with a secret, without repeating it. @throws CliError */
export function refuseSecrets({ argv, env }: Io): void {
  const key = env['CERTIFY_API_KEY']?.trim() || undefined
  const words = beforeDoubleDash(argv)
  const flag = words.find((word) => SECRET_FLAG.test(word))
  const isSecret = (text: string) => LOOKS_LIKE_KEY.test(text) || isKey(text, key)
  const isHidden = argv.some((word) => isSecret(word) || isSecret(word.slice(word.indexOf('=') + 1)))
  if (flag === undefined && !isHidden) return
  throw new CliError(
    flag === undefined
      ? 'a word of the command line looks like a key. Secrets are never taken from the command line.'
      : `a secret is never taken from the command line (${flag.split('=')[0]}).`,
    'Set CERTIFY_API_KEY, or CERTIFY_API_KEY_FILE to the path of a file with the key, or store it: ' +
      '`certify auth login` asks for it, `certify auth login --with-key < file` reads it. If it was real, replace it.',
  )
}

/* A long key is also found inside a word. */
function isKey(text: string, key: string | undefined): boolean {
  return key !== undefined && (key.length < 12 ? text === key : text.includes(key))
}

export function beforeDoubleDash(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}
