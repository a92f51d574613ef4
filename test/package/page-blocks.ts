import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'

/** The blocks of code of a page: commands, files with a name, and programs without one. */
export function blocksOf(page: string) {
  const blocks = [...page.matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file, code = '']) => ({ language, file, code }),
  )
  expect(blocks.filter(({ language }) => !['sh', 'js', 'ts', 'text'].includes(language))).toEqual([])
  const of = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language))
  const programs = of('js', 'ts')
  return {
    shell: of('sh').map(({ code }) => code),
    text: of('text').map(({ code }) => code),
    named: Object.fromEntries(programs.flatMap(({ file, code }) => (file === undefined ? [] : [[file, code]]))),
    unnamed: programs.filter(({ file }) => file === undefined).map(({ code }) => code),
  }
}

/** The flags of a command that a page has in its text. */
export function commandOf(page: string, command: string): readonly string[] {
  expect(page).toContain(`\`${command}\``)
  expect(command.split(' ').slice(0, 3)).toEqual(['npx', 'certify-sdk', 'mock'])
  return command.split(' ').slice(3)
}

/** Installs the package into a folder: npx finds a package by its name in the project itself alone. */
export function install(folder: string, consumer: string): string {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(consumer, 'node_modules/certify-sdk'), join(folder, 'node_modules/certify-sdk'))
  return folder
}

/** A mock of the installed package, on a port that is free. */
export async function startMock(consumer: string, flags: readonly string[] = []) {
  const bin = join(consumer, 'node_modules/.bin/certify')
  const service = spawn(bin, ['mock', ...flags, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void service.kill())
  const [line] = (await once(createInterface(service.stdout), 'line')) as [string]
  const { url, apiKeys } = JSON.parse(line) as { url: string; apiKeys: [{ key: string }] }
  return { url, key: apiKeys[0].key }
}

/** Starts a program that runs until it is stopped, with all that it starts, as Ctrl-C at a terminal does. */
export function start(cwd: string, command: string, args: readonly string[], env: Record<string, string>) {
  const { PATH } = process.env
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(command, args, { cwd, env: { PATH, ...env }, stdio: [...stdio], detached: true })
  const closed = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const stop = async (): Promise<void> => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
    await closed
  }
  onTestFinished(stop)
  return { stdout: () => output, stop }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
