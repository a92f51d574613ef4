import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import ts from 'typescript'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { exitCodeOf } from '../../bin/exit-codes.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyError, type CertifyErrorCode, type Outcome } from '../../src/index.ts'
import { FAILURES, type FailureRule } from '../../src/transport/failures.ts'
import { compile, lend, repository, runIn, writeProject } from './consumer.ts'
import { type Block, blocksOf, commandsOf, deadLinksOf, GUIDES, headingsOf, LINKED, proseOf, read } from './pages.ts'

const consumer = inject('consumer')
const bin = join(consumer, 'node_modules/.bin')

const MOST_GUIDES = 14
const MOST_LINES = 4_000
const MOST_WORDS = 25_000

test('the page of gaps says how many there are, and how many have a switch', () => {
  const rows = read('docs/spec-gaps.md').match(/^\| (?!Open )[^|]+ \| [^|]+ \| [^|]+ \|$/gm) ?? []
  const withSwitch = rows.filter((row) => row.includes('Switch `'))
  expect(read('docs/spec-gaps.md')).toContain(`${withSwitch.length} of the ${rows.length} gaps`)
})

test('the guides keep their budget', () => {
  const texts = GUIDES.map(read)
  expect(GUIDES.length).toBeLessThanOrEqual(MOST_GUIDES)
  expect(texts.join('').split('\n').length).toBeLessThanOrEqual(MOST_LINES)
  expect(texts.join('\n').trim().split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS)
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(151)
})

test.each(LINKED)('every link of %s leads to a file and a heading that exist', (page) => {
  expect(deadLinksOf(page)).toEqual([])
})

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('every file and folder that %s names exists', (page) => {
  const named = [...proseOf(page).matchAll(/`([\w.-]+\/[^`\s]*)`/g)].map(([, path = '']) => path)
  const ours = named.filter((path) => existsSync(join(repository, path.split('/', 1)[0] ?? '')))
  expect(ours.length).toBeGreaterThan(0)
  expect(ours.filter((path) => !/^(site\/)?dist\//.test(path) && !existsSync(join(repository, path)))).toEqual([])
})

describe.each(['README.md', 'SKILL.md', ...GUIDES])('%s', (page) => {
  test('has code of at most 80 columns, and data that can be read', () => {
    const blocks = blocksOf(page)
    const isWide = (line: string) => line.length > 80
    /* For agents, who read a command by its line. */
    if (page !== 'SKILL.md') expect(blocks.flatMap(({ code }) => code.split('\n').filter(isWide))).toEqual([])
    for (const { language, code } of blocks) {
      if (language === 'json') JSON.parse(code)
      if (language === 'yaml') parseYaml(code)
    }
  })

  test('names commands that exist, with their own options', () => {
    const unknown = commandsOf(page).filter((words) => !isCommand(words))
    expect(unknown.map((words) => words.join(' '))).toEqual([])
  })

  test('has programs and commands that do what it says', { timeout: 180_000 }, async () => {
    if (page !== 'SKILL.md') await new Reader(page).read()
  })
})

/* The help of a command names each of its options. */
const helps = new Map<string, string>()

function helpOf(command: string): string {
  const known = helps.get(command)
  if (known !== undefined) return known
  const { status, stdout } = runIn(consumer, join(bin, 'certify'), [...command.split(' ').filter(Boolean), '--help'])
  const help = status === 0 ? stdout : ''
  helps.set(command, help)
  return help
}

function isCommand(words: readonly string[]): boolean {
  const isGroup = new RegExp(`^  ${words[0]} [a-z]+\\|?`, 'm').test(helpOf(''))
  const verb = isGroup && /^[a-z]+$/.test(words[1] ?? '') ? words.slice(0, 2) : words.slice(0, 1)
  const command = words[0]?.startsWith('-') ? '' : verb.join(' ')
  const help = helpOf(command)
  const options = words.flatMap((word) => /^(--[a-z][\w-]*|-[a-zA-Z])(?:=.*)?$/s.exec(word)?.[1] ?? [])
  if (words.includes('--help')) return help !== ''
  return help !== '' && options.every((option) => new RegExp(`${option}\\b`).test(help + helpOf('')))
}

/** Does what a reader of a page does: saves its files, and runs its programs and commands in their order. */
class Reader {
  readonly #page: string
  readonly #folder: string
  readonly #env: Record<string, string>
  readonly #ports: ReadonlyMap<string, Promise<number>>
  #blocks: readonly Block[] = []
  /* There is one mock at a time: that of the page, once it starts one. */
  #stopMock = async () => {}

  constructor(page: string) {
    this.#page = page
    this.#folder = writeProject(consumer, `page-${page.replaceAll(/\W/g, '-')}`, {
      'package.json': '{"type":"module","private":true}',
    })
    mkdirSync(join(this.#folder, 'node_modules'), { recursive: true })
    symlinkSync(join(consumer, 'node_modules/certify-sdk'), join(this.#folder, 'node_modules/certify-sdk'))
    this.#ports = new Map(['3000', '4010', '4020'].map((port) => [port, freePort()]))
    this.#env = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: this.#folder,
      XDG_STATE_HOME: this.#folder,
      CERTIFY_CONFIG_DIR: join(this.#folder, 'config'),
      CERTIFY_CALLBACK_SECRET: 'a secret of thirty-two characters',
      /* Of every mock with the same seed. */
      SESSION_TOKEN: createMockServer().adminSession.headers['authorization']?.replace('Bearer ', '') ?? '',
      NO_COLOR: '1',
    }
  }

  async read(): Promise<void> {
    this.#blocks = await Promise.all(blocksOf(this.#page).map((block) => this.#withFreePorts(block)))
    const { files, programs } = this.#filesOf()
    lend(consumer, 'better-sqlite3', ...this.#imported(Object.values(files)))
    writeProject(consumer, this.#folder.slice(consumer.length + 1), files)
    const typed = Object.keys(files).filter((file) => file.endsWith('.ts'))
    expect(typed.length === 0 ? '' : compile(consumer, this.#folder, ...typed)).toBe('')
    for (const file of typed.filter((name) => !isTest(name)))
      writeFileSync(join(this.#folder, moduleOf(file)), transpiled(files[file] ?? ''))
    const port = String(await this.#ports.get('4010'))
    Object.assign(this.#env, { CERTIFY_BASE_URL: `http://127.0.0.1:${port}`, CERTIFY_API_KEY: createMockServer().apiKey })
    const app = `https://app.example=http://127.0.0.1:${String(await this.#ports.get('3000'))}`
    await this.#background(`certify mock --port ${port} --map-callback ${app}`)
    for (const block of this.#blocks) {
      const program = programs.get(block)
      if (block.needs !== undefined) continue
      if (block.isBackground) await this.#background(block.code)
      else if (block.language === 'sh') await this.#expect(block, SHELL + block.code + KEEP)
      else if (program !== undefined) await this.#expect(block, `exec ${program} 2>&1`)
    }
  }

  /* Every program as a file of its own. Those that another one imports, and tests, are not run by themselves. */
  #filesOf() {
    const files: Record<string, string> = {}
    const names = new Map<Block, string>()
    let last = ''
    for (const block of this.#blocks) {
      const { language, code, file, needs } = block
      if (!['ts', 'js', 'py'].includes(language) || needs !== undefined) continue
      if (file?.startsWith('examples/')) expect(read(file)).toContain(code)
      if (file?.startsWith('examples/')) continue
      const name = file ?? last.replace(/(?=\.\w+$)/, `-${names.size}`)
      files[name] = file === undefined ? `${files[last] ?? ''}\n${code}` : code
      names.set(block, name)
      if (file !== undefined) last = file
    }
    const texts = Object.values(files).join('\n')
    const isImported = (name: string) => texts.includes(`from './${name.replace(/ts$/, 'js')}'`)
    const isNamedInShell = (name: string) =>
      this.#blocks.some(({ language, code, needs: other }) => language === 'sh' && !other && code.includes(name))
    const programs = new Map<Block, string>()
    for (const [block, name] of names) {
      if (isTest(name)) programs.set(block, `node ${VITEST} run --globals --root . ${name}`)
      else if (name.endsWith('.py')) programs.set(block, `python3 ${name}`)
      else if (!isImported(name) && !isNamedInShell(name)) programs.set(block, `node ${moduleOf(name)}`)
    }
    return { files, programs }
  }

  #imported(texts: readonly string[]): readonly string[] {
    const names = texts.flatMap((text) => [...text.matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)/g)].map((each) => each[1] ?? ''))
    const own = names.filter((name) => !/^(node:|certify-sdk)/.test(name))
    return own.includes('pg') ? [...own, '@types/pg', 'pg-types', 'pg-protocol'] : own
  }

  async #withFreePorts(block: Block): Promise<Block> {
    let { code, printed } = block
    for (const [port, free] of this.#ports) {
      const number = String(await free)
      code = code.replaceAll(port, number)
      printed = printed?.replaceAll(port, number)
    }
    /* Its default port is not free on every machine. */
    const mock = `$& --port ${String(await this.#ports.get('4010'))}`
    return { ...block, printed, code: code.replaceAll(/^(npx certify-sdk|certify) mock(?! exec| init| --port)/gm, mock) }
  }

  /* Runs it until it has ended. A server is stopped some time after it has printed what the page says. */
  async #expect({ printed, code }: Block, command: string): Promise<void> {
    const running = this.#start(command)
    const wanted = printed === undefined ? undefined : patternOf(printed)
    let [left, isDone] = [1_200, false]
    for (; left > 0 && !running.hasEnded(); left -= 1) {
      await wait(50)
      if (isDone || wanted?.test(running.output()) !== true) continue
      isDone = true
      left = Math.min(left, 60)
    }
    const hasStayed = !running.hasEnded()
    await running.stop()
    /* A server that handles SIGTERM ends well; one that does not has no exit code. */
    const exitCode = !hasStayed ? running.exitCode() : isDone ? (running.exitCode() ?? 0) : 'it did not end'
    expect({ code, exitCode, output: exitCode === 0 ? '' : running.output() }).toEqual({ code, exitCode: 0, output: '' })
    if (wanted !== undefined) expect(running.output()).toMatch(wanted)
  }

  async #background(command: string): Promise<void> {
    const isMock = / mock /.test(command)
    if (isMock) await this.#stopMock()
    const running = this.#start(SHELL + command)
    if (isMock) this.#stopMock = running.stop
    for (let left = 400; left > 0 && running.output() === ''; left -= 1) await wait(50)
    expect(running.hasEnded() ? running.output() : '').toBe('')
  }

  #start(command: string) {
    const child = spawn('bash', ['-c', command], { cwd: this.#folder, env: this.#env, detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    const closed = once(child, 'close')
    const stop = async () => {
      if (!hasEnded(child)) process.kill(-(child.pid ?? 0), 'SIGTERM')
      await closed
    }
    onTestFinished(stop)
    return { output: () => output, hasEnded: () => hasEnded(child), exitCode: () => child.exitCode, stop }
  }
}

const VITEST = join(repository, 'node_modules/vitest/vitest.mjs')

/* One session of a terminal: what a block exports, the next one has. npx finds the package by its name. */
const SHELL = `exec 2>&1; set -euo pipefail; [ ! -f .exported ] || . ./.exported
npx() { [ "$1" != certify-sdk ] || { shift; certify "$@"; return; }; command npx "$@"; }
`
const KEEP = '\nexport -p > .exported'

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

const isTest = (file: string) => /\.test\.[jt]s$/.test(file)
const moduleOf = (file: string) => file.replace(/ts$/, 'js')

function transpiled(code: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  return ts.transpileModule(code, { compilerOptions }).outputText
}

function patternOf(text: string): RegExp {
  const escaped = text.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(escaped.replaceAll('…', '.*').replaceAll(/ +/g, ' +'))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/* What no request fails with is never sent. The compiler refuses a list that lacks a code, or has one too many. */
const CODES = {
  CONFIG_INVALID: 'unsent',
  INPUT_INVALID: 'unsent',
  CREDENTIALS_UNAVAILABLE: 'sent',
  UNREACHABLE: 'sent',
  ABORTED: 'sent',
  TIMED_OUT: 'sent',
  CONNECTION_LOST: 'sent',
  UNAUTHENTICATED: 'sent',
  FORBIDDEN: 'sent',
  NOT_FOUND: 'sent',
  BAD_USER_INPUT: 'sent',
  RATE_LIMITED: 'sent',
  REDIRECT_REFUSED: 'sent',
  SERVER_FAULT: 'sent',
  RESPONSE_UNREADABLE: 'sent',
  RESPONSE_UNEXPECTED: 'sent',
  RESPONSE_MISMATCHED: 'sent',
  API_ERROR: 'sent',
  ALREADY_INVITED: 'unsent',
  PRIOR_OUTCOME_UNKNOWN: 'unsent',
  IN_PROGRESS: 'unsent',
  LEDGER_UNUSABLE: 'unsent',
  CLOCK_SKEW: 'unsent',
} as const satisfies Record<CertifyErrorCode, 'sent' | 'unsent'>

test('the page of errors has a heading for each code, its outcomes, retries and exit codes, and provokes each', () => {
  const codes = Object.keys(CODES) as CertifyErrorCode[]
  expect(headingsOf('docs/errors.md').filter((heading) => /^[A-Z_]+$/.test(heading)).toSorted()).toEqual(codes.toSorted())
  const rows = [...read('docs/errors.md').matchAll(/^\| \[`(\w+)`\]\(#\w+\) \| (.*) \|$/gm)]
  expect(rows.map(([, code, facts]) => `${code} | ${facts}`)).toEqual(codes.flatMap(factsOf))
  const printed = blocksOf('docs/errors.md').find(({ file }) => file === 'provoke.ts')?.printed ?? ''
  const provoked = printed.trim().split('\n').map((line) => line.split(' ')[0] as CertifyErrorCode)
  expect(provoked.toSorted()).toEqual(codes.toSorted())
})

/* The rows of the table, from the tables of the program. */
function factsOf(code: CertifyErrorCode): readonly string[] {
  const rules: readonly FailureRule[] = Object.values(FAILURES).filter((rule) => rule.code === code)
  const facts = CODES[code] === 'unsent' ? [factOf(code, 'not-executed', undefined)] : rules.map(({ outcome, retry }) => factOf(code, outcome, retry))
  return [...new Set(facts)]
}

function factOf(code: CertifyErrorCode, outcome: Outcome, retry: FailureRule['retry']): string {
  const exitCode = (become: Outcome) =>
    exitCodeOf(new CertifyError({ code, outcome: become, message: '' }), AbortSignal.abort('SIGINT'))
  const [create, query] = [exitCode(outcome), exitCode('not-executed')]
  const retried = retry === undefined ? 'never' : retry === 'always' ? 'creates and queries' : 'queries'
  return `${code} | \`${outcome}\` | ${retried} | ${create === query ? create : `${create}; for a query ${query}`}`
}
