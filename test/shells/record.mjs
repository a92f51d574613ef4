// @ts-check
// Records docs/screenshots/bulk.svg: the built CLI in a pseudo-terminal, against the mock. Run it by npm run docs:recording.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { animatedSvg } from './animated-svg.mjs'
import { Screen } from './screen.mjs'

/** @typedef {import('./animated-svg.mjs').Frame} Frame */

const COLUMNS = 94
const ROWS = 26
const FIRST_MS = 3000
const TABLE = `email,name
ada@example.com,Ada Byron
grace@example.com,Grace Hopper
hedy@example.com,Hedy Lamarr
cut-after@candidate.test,Jean Bartik
`
const BULK = 'bulk candidates.csv --quiz-id quiz_react_beginner_state'
const QUESTION = '[y/N] '
const TITLE =
  'certify bulk shows a plan, asks, and sends four invites. The response of one is lost: it is unknown. The same command again sends nothing.'

/**
 * The recording, made now. What depends on the machine is replaced: the port, the folder, and how long a run took. The bar
 * of the progress depends on the speed, and is left out.
 *
 * @param {string} cli the file of the built command
 */
export async function recordBulk(cli) {
  const folder = mkdtempSync('/tmp/certify-')
  const port = await freePort()
  const mock = spawn(process.execPath, [cli, 'mock', '--port', `${port}`, '--seed', 'readme', '--frozen', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(createInterface(mock.stdout), 'line')
    const { url, apiKeys } = JSON.parse(line)
    writeFileSync(join(folder, 'candidates.csv'), TABLE)
    const env = {
      PATH: process.env['PATH'],
      TERM: 'xterm-256color',
      HOME: folder,
      CERTIFY_CONFIG_DIR: folder,
      CERTIFY_LEDGER: join(folder, 'invites.ledger'),
      CERTIFY_BASE_URL: url,
      CERTIFY_API_KEY: apiKeys[0].key,
    }
    const run = async (/** @type {object[]} */ steps) => {
      const asked = { argv: [process.execPath, cli, ...BULK.split(' ')], env, columns: COLUMNS, steps }
      return sameEverywhere(await inTerminal(asked, folder), { port, folder })
    }
    const first = await run([{ wait: QUESTION, send: 'y\r' }])
    return animatedSvg(...story(first, await run([])))
  } finally {
    mock.kill()
    await once(mock, 'close')
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * What a reader sees, and when.
 *
 * @param {string} first @param {string} again what the command printed
 * @returns {Parameters<typeof animatedSvg>}
 */
function story(first, again) {
  const screen = new Screen()
  /** @type {Frame[]} */
  const frames = []
  let atMs = 0
  const show = (/** @type {string} */ output, /** @type {number} */ forMs) => {
    screen.write(output)
    frames.push({ atMs, lines: screen.lines(ROWS) })
    atMs += forMs
  }
  const type = (/** @type {string} */ command) => {
    show('$ ', 600)
    for (const piece of command.match(/.{1,6}/g) ?? []) show(piece, 140)
    show('\r\n', 300)
  }
  /* The cursor is set once more after the question. */
  const answered = first.indexOf('y', first.indexOf(QUESTION) + QUESTION.length)
  type('cat candidates.csv')
  show(TABLE.replaceAll('\n', '\r\n'), 1500)
  type(`npx certify-sdk ${BULK}`)
  show(first.slice(0, answered), 4000)
  show(first.slice(answered, answered + 1), 700)
  show(first.slice(answered + 1), 5500)
  type(`npx certify-sdk ${BULK}`)
  show(again, 3000 + FIRST_MS)
  return [frames, { title: TITLE, columns: COLUMNS, rows: ROWS, endMs: atMs, firstMs: FIRST_MS }]
}

/** @param {string} output @param {{ port: number, folder: string }} of the machine */
function sameEverywhere(output, { port, folder }) {
  return output
    .replaceAll(`:${port}`, ':4010')
    .replaceAll(folder, '/home/you')
    .replaceAll(/\r\[[#-]+\][^\r]*/g, '')
    .replaceAll(/(took +\S* *)\d+ s/g, '$11 s')
}

/** @param {object} asked @param {string} folder @returns {Promise<string>} */
async function inTerminal(asked, folder) {
  const person = join(import.meta.dirname, 'person.py')
  const child = spawn('python3', [person], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(asked))
  const [seen] = await Promise.all([text(child.stdout), once(child, 'close')])
  const { output, missing } = JSON.parse(seen)
  if (missing !== null) throw new Error(`The command never printed ${JSON.stringify(missing)}: ${output}`)
  return output
}

/* With as many digits as the port that is shown: the terminal counts them. */
async function freePort() {
  for (let port = 5000 + (process.pid % 4000); port < 10_000; port += 1) {
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return port
  }
  throw new Error('There is no free port of four digits.')
}

if (process.argv[1] === import.meta.filename) {
  const [cli, picture] = ['../../dist/bin/certify.cjs', '../../docs/screenshots/bulk.svg']
  writeFileSync(resolve(import.meta.dirname, picture), await recordBulk(resolve(import.meta.dirname, cli)))
}
