import assert from 'node:assert'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import ts from 'typescript'
import { createMockServer } from '../../mock-server/index.ts'
import { listen } from '../listen.ts'
import { lend, repository, writeProject } from './consumer.ts'
import { type Block, blocksOf, read } from './pages.ts'

/** Does what a reader of a page does: saves its files, and runs its programs and commands in order. */
export class PageReader {
  readonly #consumer: string
  readonly #page: string
  readonly #folder: string
  readonly #env: Record<string, string>
  readonly #ports: ReadonlyMap<string, Promise<number>>
  #blocks: readonly Block[] = []
  #programs: ReadonlyMap<Block, string> = new Map()
  #files: readonly string[] = []
  /* Only one mock runs at a time: the page's own, once it starts one. */
  #stopMock = async () => {}
  #backgroundOutput = () => ''
  #atEnd: (stop: () => Promise<void>) => void = () => {}

  constructor(consumer: string, page: string) {
    this.#consumer = consumer
    this.#page = page
    this.#folder = writeProject(consumer, `page-${page.replaceAll(/\W/g, '-')}`, {
      'package.json': '{"type":"module","private":true}',
    })
    mkdirSync(join(this.#folder, 'node_modules'), { recursive: true })
    symlinkSync(join(consumer, 'node_modules/certify-sdk'), join(this.#folder, 'node_modules/certify-sdk'))
    this.#ports = new Map(['3000', '4010', '4020'].map((port) => [port, freePort()]))
    this.#env = {
      PATH: `${join(consumer, 'node_modules/.bin')}:${process.env['PATH']}`,
      HOME: this.#folder,
      XDG_STATE_HOME: this.#folder,
      CERTIFY_CONFIG_DIR: join(this.#folder, 'config'),
      CERTIFY_CALLBACK_SECRET: 'a secret of thirty-two characters',
      /* The same for every mock with the same seed. */
      SESSION_TOKEN: createMockServer().adminSession.headers['authorization']?.replace('Bearer ', '') ?? '',
      NO_COLOR: '1',
    }
  }

  /** Its programs in one language, as TypeScript, inside the folder of the consumer. */
  typed(language: 'ts' | 'js'): readonly string[] {
    const files = this.#files.filter((file) => file.endsWith(language))
    return files.map((file) => join(this.#folder, asTypeScript(file)))
  }

  async saveFiles(): Promise<void> {
    this.#blocks = await Promise.all(blocksOf(this.#page).map((block) => this.#withFreePorts(block)))
    const { files, programs } = this.#filesOf()
    this.#programs = programs
    lend(this.#consumer, ...importedBy(Object.values(files)))
    this.#files = Object.keys(files)
    const inTypeScript = Object.entries(files).map(([file, code]) => [asTypeScript(file), code] as const)
    writeProject(this.#consumer, basename(this.#folder), { ...Object.fromEntries(inTypeScript), ...files })
    for (const file of this.#files.filter((name) => name.endsWith('.ts') && !isTest(name)))
      writeFileSync(join(this.#folder, moduleOf(file)), transpiled(files[file] ?? ''))
  }

  /** @param atEnd registers what stops the page's processes */
  async read(atEnd: (stop: () => Promise<void>) => void): Promise<void> {
    this.#atEnd = atEnd
    const port = String(await this.#ports.get('4010'))
    Object.assign(this.#env, {
      CERTIFY_BASE_URL: `http://127.0.0.1:${port}`,
      CERTIFY_API_KEY: createMockServer().apiKey,
    })
    const app = `https://app.example=http://127.0.0.1:${String(await this.#ports.get('3000'))}`
    await this.#background(`certify mock --port ${port} --map-callback ${app}`)
    for (const block of this.#blocks) {
      const program = this.#programs.get(block)
      if (block.needs !== undefined) continue
      if (block.isBackground && block.language === 'text') await this.#awaitInBackground(block.code)
      else if (block.isBackground) await this.#background(block.code)
      else if (block.language === 'sh') await this.#expect(block, SHELL + block.code + KEEP)
      else if (program !== undefined) await this.#expect(block, `exec ${program} 2>&1`)
    }
  }

  /* A file that another file imports or a command names is not run as a program. */
  #filesOf() {
    const files = new Map<Block, string>()
    for (const block of this.#blocks) {
      const { language, code, file, needs } = block
      if (!['ts', 'js', 'py'].includes(language) || needs !== undefined) continue
      if (file === undefined) throw new Error(`${this.#page} has a program without a name:\n${code}`)
      /* The tests of the examples run it. */
      if (file.startsWith('examples/')) assert(read(file).includes(code), file)
      else files.set(block, file)
    }
    const texts = [...this.#blocks].filter(({ needs }) => needs === undefined).map(({ code }) => code)
    const isUsed = (name: string) =>
      texts.some((text) => text.includes(`from './${moduleOf(name)}'`) || text.includes(`node ${name}`))
    const programs = new Map<Block, string>()
    for (const [block, name] of files) {
      if (isTest(name)) programs.set(block, `node '${VITEST}' run --globals --root . ${name}`)
      else if (name.endsWith('.py')) programs.set(block, `python3 ${name}`)
      else if (!isUsed(name)) programs.set(block, `node ${moduleOf(name)}`)
    }
    return { files: Object.fromEntries([...files].map(([{ code }, name]) => [name, code])), programs }
  }

  async #withFreePorts(block: Block): Promise<Block> {
    const ports = new Map<string, string>()
    for (const [port, free] of this.#ports) ports.set(port, String(await free))
    /* In one pass: a free port may have another one in it, as 40103 has 4010. */
    const replaced = (text: string) => text.replaceAll(/3000|4010|4020/g, (port) => ports.get(port) ?? port)
    /* The default port is not free on every machine. */
    const mock = `$& --port ${ports.get('4010')}`
    return {
      ...block,
      printed: block.printed === undefined ? undefined : replaced(block.printed),
      code: replaced(block.code).replaceAll(/^(npx certify-sdk|certify) mock(?! exec| init| --port)/gm, mock),
    }
  }

  /* Runs it to the end. A server is stopped some time after it has printed what the page shows. */
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
    /* A server that handles SIGTERM exits with 0; one that does not has no exit code. */
    const exitCode = !hasStayed ? running.exitCode() : isDone ? (running.exitCode() ?? 0) : 'it did not end'
    assert.strictEqual(exitCode, 0, `${code}\n${running.output()}`)
    if (wanted !== undefined) assert.match(running.output(), wanted)
  }

  async #background(command: string): Promise<void> {
    const isMock = / mock /.test(command)
    if (isMock) await this.#stopMock()
    const running = this.#start(SHELL + command)
    if (isMock) this.#stopMock = running.stop
    this.#backgroundOutput = running.output
    for (let left = 400; left > 0 && running.output() === ''; left -= 1) await wait(50)
    assert(!running.hasEnded(), running.output())
  }

  async #awaitInBackground(text: string): Promise<void> {
    const wanted = patternOf(text)
    for (let left = 400; left > 0 && !wanted.test(this.#backgroundOutput()); left -= 1) await wait(50)
    assert.match(this.#backgroundOutput(), wanted)
  }

  #start(command: string) {
    const child = spawn('bash', ['--norc', '-c', command], { cwd: this.#folder, env: this.#env, detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    const closed = once(child, 'close')
    const stop = async () => {
      if (!hasEnded(child)) process.kill(-(child.pid ?? 0), 'SIGTERM')
      await closed
    }
    this.#atEnd(stop)
    return { output: () => output, hasEnded: () => hasEnded(child), exitCode: () => child.exitCode, stop }
  }
}

function importedBy(texts: readonly string[]): readonly string[] {
  const imports = texts.flatMap((text) => [...text.matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)/g)])
  return imports.map(([, name = '']) => name).filter((name) => !/^(node:|certify-sdk)/.test(name))
}

const VITEST = join(repository, 'node_modules/vitest/vitest.mjs')

/* All blocks share one session: a block has what the previous ones exported. npx finds the package by its name. */
const SHELL = `exec 2>&1; set -euo pipefail; [ ! -f .exported ] || . ./.exported
npx() { [ "$1" != certify-sdk ] || { shift; certify "$@"; return; }; command npx "$@"; }
`
const KEEP = '\nexport -p > .exported'

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

const isTest = (file: string) => /\.test\.[jt]s$/.test(file)
const asTypeScript = (file: string) => file.replace(/js$/, 'ts')
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
  const { port, close } = await listen(createServer())
  await close()
  return port
}
