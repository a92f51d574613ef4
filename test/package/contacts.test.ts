import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { runAsync, writeProject } from './consumer.ts'

const consumer = inject('consumer')
const bin = join(consumer, 'node_modules/certify-sdk/dist/bin/certify.cjs')

/* Records every connection, DNS lookup and datagram, whichever client makes it. */
const RECORDER = `
const { appendFileSync } = require('node:fs')
const [net, dns, dgram] = [require('node:net'), require('node:dns'), require('node:dgram')]
const record = (text) => appendFileSync(process.env.CONTACTS, text + '\\n')
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args
  record(typeof options === 'object' ? 'connect ' + (options.host ?? options.path) + ':' + options.port : 'connect ' + args.join(':'))
  return connect.apply(this, args)
}
for (const [owner, name] of [[dns, 'lookup'], [dns, 'resolve'], [dns.promises, 'lookup'], [dns.promises, 'resolve']]) {
  const original = owner[name]
  owner[name] = (...args) => (record('look up ' + args[0]), original(...args))
}
const { send } = dgram.Socket.prototype
dgram.Socket.prototype.send = function (...args) {
  record('datagram')
  return send.apply(this, args)
}
`

test('the program contacts only the base URL: no telemetry, no update checks', async () => {
  const mock = createMockServer()
  const { url } = await mock.listen()
  onTestFinished(() => mock.close())
  const folder = writeProject(consumer, 'contacts', { 'recorder.cjs': RECORDER, contacts: '' })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const contacts = join(folder, 'contacts')
  const env = {
    NODE_OPTIONS: `--require "${join(folder, 'recorder.cjs')}"`,
    CONTACTS: contacts,
    CERTIFY_CONFIG_DIR: folder,
    XDG_STATE_HOME: folder,
    CERTIFY_BASE_URL: url,
    CERTIFY_API_KEY: mock.apiKey,
  }
  const run = async (argv: readonly string[]) => {
    const { status } = await runAsync(process.execPath, [bin, ...argv], env)
    return { argv, status }
  }
  const create = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com']
  const offline = [
    ['--version'],
    ['--help'],
    ['help', 'bulk'],
    ['completion', 'bash'],
    ['mock', 'init', join(folder, 'world.yaml')],
  ]
  for (const argv of offline) expect(await run(argv)).toEqual({ argv, status: 0 })
  expect(readFileSync(contacts, 'utf8')).toBe('')
  for (const argv of [
    ['tracks', 'list'],
    ['tracks', 'view', 'react'],
    create,
    ['auth', 'status'],
    ['doctor'],
    ['ledger', 'check'],
  ])
    expect(await run(argv)).toEqual({ argv, status: 0 })
  const { host, hostname } = new URL(url)
  const seen = new Set(readFileSync(contacts, 'utf8').trim().split('\n'))
  expect(seen).toContain(`connect ${host}`)
  for (const each of [`connect ${host}`, `look up ${hostname}`]) seen.delete(each)
  expect([...seen]).toEqual([])
})
