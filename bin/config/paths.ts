import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Env } from '../io.ts'

/** The folder of the configuration: CERTIFY_CONFIG_DIR, or the system's place for such files. */
export function configFolder(env: Env, platform: string = process.platform): string {
  return env['CERTIFY_CONFIG_DIR'] || base(env, platform, 'XDG_CONFIG_HOME', '.config', 'APPDATA')
}

/** The folder for data that cannot be recreated: the ledger. */
export function stateFolder(env: Env, platform: string = process.platform): string {
  return base(env, platform, 'XDG_STATE_HOME', '.local/state', 'LOCALAPPDATA')
}

/* The XDG standard ignores a relative path. */
function base(env: Env, platform: string, xdg: string, fallback: string, windows: string): string {
  const onWindows = platform === 'win32' ? env[windows] : undefined
  if (onWindows) return join(onWindows, 'certify')
  const parent = env[xdg]
  return join(parent !== undefined && isAbsolute(parent) ? parent : join(env['HOME'] || homedir(), fallback), 'certify')
}
