// One process that claims an invite and stays, or looks what the ledger says of it; alone, or as the first process of a PID
// namespace that starts others there. It prints one line of JSON.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync, writeFileSync } from 'node:fs'
import { execPath, pid } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ledgers } from './built.mjs'

const [, , role = '', path = ''] = process.argv
const candidate = { name: 'Ada Byron', email: 'ada@example.com' }
const request = {
  scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
  target: { email: candidate.email, quizIds: ['quiz'] },
  input: { quizId: 'quiz', candidate },
  leaseMs: 600_000,
}

const roles = {
  async send() {
    const ledger = await ledgers.openLedger({ path })
    await ledger.claim({ ...request, reference: 'sent' })
    say({ kind: 'claimed' })
    /* Until it is killed, or whoever started it has gone. */
    process.stdin.resume()
  },
  async look() {
    const ledger = await ledgers.openLedger({ path })
    const { kind } = await ledger.claim({ ...request, reference: `looked by ${pid}` })
    await ledger.close()
    say({ kind })
  },
  /* Somebody sends, with a pid that nobody has outside. */
  async far() {
    nextPid(FAR)
    console.log(await start('send').said)
    process.stdin.resume()
  },
  /* Where /proc is of the namespace around: somebody sends who has another one, and the pid that this process has outside. */
  async outer() {
    nextPid(Number(readlinkSync('/proc/self')))
    await start('send', ['unshare', '--mount-proc']).said
    console.log(await start('look').said)
  },
  /* Somebody sends and is killed, and whoever looks has its pid. */
  async reuse() {
    nextPid(FAR)
    const sender = start('send')
    const { pid: first } = JSON.parse(await sender.said)
    sender.child.kill('SIGKILL')
    await once(sender.child, 'close')
    nextPid(FAR)
    console.log(JSON.stringify({ ...JSON.parse(await start('look').said), first }))
  },
}

const FAR = 31_000

if (role in roles) await roles[/** @type {keyof typeof roles} */ (role)]()

function say(/** @type {{ kind: string }} */ what) {
  console.log(JSON.stringify({ ...what, pid, namespace: readlinkSync('/proc/self/ns/pid') }))
}

/** @param {string} as @param {readonly string[]} within */
function start(as, within = []) {
  const [command, ...argv] = [...within, execPath, fileURLToPath(import.meta.url), as, path]
  const child = spawn(command, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = once(createInterface(child.stdout), 'line').then(([line]) => String(line))
  return { child, said }
}

/* That of the next process in this namespace, if nobody has it. */
function nextPid(/** @type {number} */ next) {
  writeFileSync('/proc/sys/kernel/ns_last_pid', String(next - 1))
}
