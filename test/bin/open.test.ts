import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { openerOf } from '../../bin/browser/opener.ts'
import type { Child, ChildEnd } from '../../bin/io.ts'
import { createRunner } from './run.ts'

const CREATE = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'eve@example.com', '--ledger']

/* A browser that reads the file when it starts. */
function browser(end: ChildEnd = { exitCode: 0 }) {
  const seen: { readonly child: Child; readonly page: string; readonly modes: readonly string[] }[] = []
  const run = async (child: Child): Promise<ChildEnd> => {
    const target = child.args.at(-1) ?? ''
    const isFile = existsSync(target)
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    const page = isFile ? readFileSync(target, 'utf8') : ''
    seen.push({ child, page, modes: isFile ? [mode(target), mode(dirname(target))] : [] })
    return end
  }
  return { run, seen, env: { BROWSER: 'my-browser --new-window' } }
}

async function withInvite() {
  const runner = createRunner()
  const { stdout } = await runner.certify([...CREATE, '--json'])
  const { inviteId, challengeUrl } = JSON.parse(stdout) as { readonly inviteId: string; readonly challengeUrl: string }
  return { ...runner, inviteId, challengeUrl }
}

test('certify open gives the browser a file that only the user can read: the link is in no argument and no output', async () => {
  const { certify, inviteId, challengeUrl } = await withInvite()
  const { run, seen, env } = browser()
  const ended = await certify(['open', inviteId], { run, env, terminal: 80 })
  expect(ended).toMatchObject({ code: 0, stdout: '' })
  const secret = new URL(challengeUrl).pathname
  expect(ended.stderr).not.toContain(secret)
  expect(seen).toHaveLength(1)
  const [{ child, page, modes } = { child: undefined, page: '', modes: [] }] = seen
  expect(child).toMatchObject({ program: 'my-browser', args: ['--new-window', expect.stringMatching(/open\.html$/)] })
  expect(JSON.stringify(child?.args)).not.toContain(secret)
  expect(page).toContain(`content="0; url=${challengeUrl}"`)
  expect(modes).toEqual(['600', '700'])
  expect(existsSync(dirname(child?.args.at(-1) ?? ''))).toBe(false)
})

test('the file of a link is deleted when the browser could not be started, and after Ctrl-C', async () => {
  const { certify, inviteId } = await withInvite()
  for (const world of [
    {
      ...browser({ failure: 'ENOENT' }),
      code: 2,
      says: 'error: my-browser did not open it (ENOENT).\nhint: Give --print ',
    },
    { ...browser({ exitCode: 3 }), code: 2, says: 'error: my-browser did not open it (exit code 3).\nhint: ' },
    { ...browser(), code: 0, says: '', interruption: AbortSignal.abort('SIGINT') },
    /* A browser in the terminal: Ctrl-C ends it too. */
    { ...browser({ exitCode: 130 }), code: 0, says: '', interruption: AbortSignal.abort('SIGINT') },
  ]) {
    const { code, stderr } = await certify(['open', inviteId], world)
    expect({ code, stderr }).toEqual({ code: world.code, stderr: expect.stringContaining(world.says) })
    expect(existsSync(dirname(world.seen[0]?.child.args.at(-1) ?? ''))).toBe(false)
  }
})

test('a link that the service made up can change neither the page that sends the browser on nor the terminal', async () => {
  const { mock, certify } = createRunner()
  const link = 'https://x.example/c?a=1&b="><script>alert(1)</script>\u001B[2J\u202E\u0007'
  const fetch: typeof mock.fetch = async (...args) => {
    const response = await mock.fetch(...args)
    const text = (await response.text()).replace(/"challengeUrl":"[^"]+"/, `"challengeUrl":${JSON.stringify(link)}`)
    return new Response(text, response)
  }
  const { stdout } = await certify([...CREATE, '--json'], { fetch })
  const { run, seen, env } = browser()
  const { inviteId } = JSON.parse(stdout) as { readonly inviteId: string }
  await certify(['open', inviteId], { run, env })
  expect(seen[0]?.page).not.toContain('<script')
  expect(seen[0]?.page).toContain('a=1&amp;b=&quot;>&lt;script>')
  const printed = await certify(['open', inviteId, '--print'], { run, env, terminal: 80 })
  expect(printed.stdout).toBe('https://x.example/c?a=1&b="><script>alert(1)</script>\n')
})

test('--print prints the link and opens nothing; --json has the link only with it', async () => {
  const { certify, inviteId, challengeUrl } = await withInvite()
  const { run, seen, env } = browser()
  const json = async (...flags: readonly string[]) =>
    JSON.parse((await certify(['open', inviteId, '--json', ...flags], { run, env })).stdout) as unknown
  expect((await certify(['open', inviteId, '--print'], { run })).stdout).toBe(`${challengeUrl}\n`)
  expect(await json('--print')).toEqual({ inviteId, url: challengeUrl })
  expect(seen).toEqual([])
  expect(await json()).toEqual({ inviteId, url: null })
})

test('an invite whose link is not known, or that is not in the ledger, is not opened; an expired one is, with a warning', async () => {
  const { mock, certify, inviteId } = await withInvite()
  const { run, seen, env } = browser()
  const lost = await certify(CREATE.with(5, 'cut-after@candidate.test'))
  expect(lost.code).toBe(6)
  const reference = (await certify(['invites', 'list', '--state', 'unknown', '--quiet'])).stdout.trim()
  expect(await certify(['open', reference], { run, env })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('the ledger has no link of this invite'),
  })
  expect(await certify(['open', 'inv_none'], { run, env })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('no invite of this id'),
  })
  expect(seen).toEqual([])
  await mock.clock.advance('15d')
  expect(await certify(['open', inviteId], { run, env })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('warning: the invite expired at '),
  })
})

test('without an id certify open opens the page of the running mock, and of no other service', async () => {
  const { mock, certify } = createRunner()
  const { run, seen, env } = browser()
  const listener = await mock.listen()
  try {
    const opened = await certify(['open'], { run, env: { ...env, CERTIFY_BASE_URL: listener.url } })
    expect(opened).toMatchObject({ code: 0, stderr: '' })
    expect(seen[0]?.child.args).toEqual(['--new-window', `${listener.url}/`])
  } finally {
    await listener.close()
  }
  for (const url of ['https://certify.example.com', listener.url]) {
    const ended = await certify(['open'], { run, env: { ...env, CERTIFY_BASE_URL: url } })
    expect(ended).toMatchObject({ code: 5, stderr: expect.stringContaining('there is no mock with a page at') })
  }
  expect(seen).toHaveLength(1)
})

test('without a terminal or a display nothing is opened, and the error says what to do', async () => {
  const { certify, inviteId } = await withInvite()
  const ended = await certify(['open', inviteId])
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toBe(
    'error: there is no terminal, so no browser can be opened.\n' +
      'hint: Give --print to print the address instead, or set BROWSER to the program that opens it.\n',
  )
  expect(() => openerOf('x', {}, true, 'linux')).toThrow('there is no display')
})

test.each([
  ['linux', { DISPLAY: ':0' }, 'xdg-open', ['page']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open', ['page']],
  ['darwin', {}, 'open', ['page']],
  ['win32', {}, 'rundll32', ['url.dll,FileProtocolHandler', 'page']],
  ['linux', { BROWSER: 'firefox:chromium', DISPLAY: ':0' }, 'firefox', ['page']],
  ['darwin', { BROWSER: 'w3m -o x=%s -n' }, 'w3m', ['-o', 'x=page', '-n']],
  ['linux', { BROWSER: ' ', DISPLAY: ':0' }, 'xdg-open', ['page']],
])('on %s with %o the program is %s, and its arguments are %j', (platform, env, program, args) => {
  expect(openerOf('page', env, true, platform)).toMatchObject({ program, args })
})

test('the path of the file takes the place of %s as it is', () => {
  expect(openerOf('/tmp/$& $1/open.html', { BROWSER: 'w3m %s' }, true).args).toEqual(['/tmp/$& $1/open.html'])
})

test('the browser does not get the key', () => {
  const { env } = openerOf('page', { BROWSER: 'w3m', HOME: '/home/you', CERTIFY_API_KEY: 'ck_canary' }, true)
  expect(env).toEqual({ BROWSER: 'w3m', HOME: '/home/you' })
})
