import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** Where the configuration is kept: CERTIFY_CONFIG_DIR, or the place that the system has for such files. */
export function configFolder(env: Env, platform: string = process.platform): string {
  return env['CERTIFY_CONFIG_DIR'] || base(env, platform, 'XDG_CONFIG_HOME', '.config', 'APPDATA')
}

/** Where is kept what can be fetched again. */
export function cacheFolder(env: Env, platform: string = process.platform): string {
  return base(env, platform, 'XDG_CACHE_HOME', '.cache', 'LOCALAPPDATA')
}

/** Where is kept what cannot be fetched again: the ledger. */
export function stateFolder(env: Env, platform: string = process.platform): string {
  return base(env, platform, 'XDG_STATE_HOME', '.local/state', 'LOCALAPPDATA')
}

/* A relative XDG path counts as not set: so that standard has it. */
function base(env: Env, platform: string, xdg: string, fallback: string, windows: string): string {
  const onWindows = platform === 'win32' ? env[windows] : undefined
  if (onWindows) return join(onWindows, 'certify')
  const given = env[xdg]
  const parent = given !== undefined && isAbsolute(given) ? given : join(env['HOME'] || homedir(), fallback)
  return join(parent, 'certify')
}
