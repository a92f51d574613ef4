import { existsSync, rmdirSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createRunner, invite } from './run.ts'

/* As for a user who is not in the list of users. */
function withoutHome() {
  vi.spyOn(os, 'homedir').mockImplementation(() => {
    throw new Error('uv_os_homedir returned ENOENT')
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return createRunner()
}

const NO_HOME = { CERTIFY_CONFIG_DIR: '', XDG_STATE_HOME: '', XDG_CONFIG_HOME: '', HOME: '' }

test('without a home folder, a base URL, a key and a ledger from the environment are enough', async () => {
  const { certify, home } = withoutHome()
  const env = { ...NO_HOME, CERTIFY_LEDGER: join(home.folder, 'invites.ledger') }
  expect(await certify(invite, { env })).toMatchObject({ code: 0, stderr: '' })
  expect(await certify(['invites', 'list'], { env })).toMatchObject({ code: 0 })
  expect((await certify(['auth', 'status'], { env })).stderr).not.toContain('unexpected fault')
  expect((await certify(['doctor'], { env })).stdout).toContain('only the environment')
})

test.each([
  ['no default place for a ledger', invite, 'CERTIFY_LEDGER'],
  ['no default place for its configuration', ['auth', 'login', '--with-key', '--no-verify'], 'CERTIFY_CONFIG_DIR'],
])('without a home folder, what needs one says that there is %s', async (words, argv, variable) => {
  const { certify } = withoutHome()
  const { code, stderr } = await certify(argv, { env: NO_HOME, stdin: 'ck_canary_canary_canary' })
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
  expect(stderr).toContain(variable)
})

test.each(['~/x.ledger', '$HOME/x.ledger', '%APPDATA%/x.ledger', '"x.ledger"'])(
  'a path that nobody has expanded is refused, wherever it comes from, by every command: %s',
  async (path) => {
    const { certify } = createRunner()
    const ways = [
      [invite, { CERTIFY_LEDGER: path }, 'CERTIFY_LEDGER'],
      [[...invite, '--dry-run'], { CERTIFY_LEDGER: path }, 'CERTIFY_LEDGER'],
      [['invites', 'list', '--ledger', path], {}, '--ledger'],
      [['ledger', 'check', '--ledger', path], {}, '--ledger'],
      [['auth', 'login', '--with-key', '--no-verify', '--ledger', path], {}, '--ledger'],
    ] as const
    for (const [argv, env, origin] of ways) {
      const { code, stderr } = await certify(argv, { env, stdin: 'ck_canary_canary_canary' })
      expect([code, stderr]).toEqual([2, expect.stringContaining(`the path of the ledger (${origin}) has a`)])
    }
    expect(existsSync(path)).toBe(false)
  },
)

test('the CLI makes only the folder of its default ledger: another place must be there', async () => {
  const { certify, home } = createRunner()
  const ledger = join(home.folder, 'mispelt', 'invites.ledger')
  const { code, stderr } = await certify([...invite, '--ledger', ledger])
  expect([code, stderr]).toEqual([2, expect.stringContaining('its folder does not exist (ENOENT)')])
  expect(existsSync(join(home.folder, 'mispelt'))).toBe(false)
  rmdirSync(join(home.folder, 'certify'))
  expect((await certify(invite)).code).toBe(0)
  expect(existsSync(home.ledger)).toBe(true)
})
