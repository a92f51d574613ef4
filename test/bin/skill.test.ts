import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRunner, LOST, quizId } from './run.ts'

const skill = readFileSync(join(import.meta.dirname, '../../skills/certify/SKILL.md'), 'utf8')

/* From code blocks and inline code, in document order. */
const commands = [...skill.matchAll(/^certify .*$|`(certify [a-z][^`]*)`/gm)].map(([line, quoted]) => quoted ?? line)

test('every command in SKILL.md succeeds, only create and bulk send, and no link is printed', async () => {
  const { certify: run, mock, home } = createRunner()
  const listener = await mock.listen()
  onTestFinished(() => listener.close())
  const env = { CERTIFY_BASE_URL: listener.url }
  const certify = (words: readonly string[]) => run(words, { env, run: async () => ({ exitCode: 0 }) })
  const file = join(home.folder, 'candidates.csv')
  writeFileSync(file, `email,name,quiz_id\nalan@example.com,Alan,${quizId}\n`)
  for (const quiz of [quizId, 'quiz_javascript_beginner']) {
    await certify(['invites', 'create', '--quiz-id', quiz, '--email', LOST])
  }
  const [lost] = mock.invites
  const unknown = await certify(['invites', 'list', '--state', 'unknown', '--quiet'])
  const references = unknown.stdout.trim().split('\n')
  expect(references).toHaveLength(2)
  const ended: Record<string, number> = {}
  for (const command of commands) {
    const sent = mock.invites.length
    const words = wordsOf(command).map((word) =>
      word
        .replace('<invite-id>', (command.includes(' resolve ') ? lost : mock.invites.at(-1))?.inviteId ?? '')
        .replace('<reference>', () => references.pop() ?? '')
        .replace('candidates.csv', file)
        .replace('report.csv', join(home.folder, 'report.csv')),
    )
    /* A person confirms this at a terminal. */
    const { code, stdout } = await certify(command.includes(' resolve ') ? [...words, '--yes'] : words)
    ended[command] = code
    const sends = / create |^certify bulk /.test(command) && !command.includes('--dry-run')
    expect([command, mock.invites.length > sent]).toEqual([command, sends])
    for (const { challengeUrl } of mock.invites) expect(`${command}: ${stdout}`).not.toContain(challengeUrl)
  }
  expect(ended).toEqual(Object.fromEntries(commands.map((command) => [command, 0])))
  expect(commands.length).toBeGreaterThan(15)
})

test('every create in SKILL.md follows its own dry run', () => {
  const creates = commands.filter((command) => / create /.test(command))
  for (const [index, command] of creates.entries()) {
    if (command.includes('--dry-run')) continue
    expect(creates[index - 1]).toBe(command.replace(' --quiet', ' --dry-run'))
  }
})

test('SKILL.md begins with its name and description', () => {
  expect(skill).toMatch(/^---\nname: certify\ndescription: [^\n]{50,1000}\n---\n/)
})

function wordsOf(command: string): string[] {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare)
  return words.slice(1)
}
