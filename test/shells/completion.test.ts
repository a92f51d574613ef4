import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { inTerminal, run, startWorld } from './terminal.ts'

const { home, env } = await startWorld()

beforeAll(() => {
  for (const file of ['variables.json', 'variables 2.json']) writeFileSync(join(home, file), '{}')
})

/* The command line, and the completions of its last word, without their descriptions. */
const CASES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['certify tr', ['tracks']],
  ['certify tracks ', ['list', 'view']],
  ['certify --profile sandbox tracks v', ['view']],
  ['certify tracks list --se', ['--search']],
  ['certify tracks list --tim', ['--timeout']],
  ['certify invites create --if-invited ', ['create', 'refuse', 'reuse']],
  ['certify completion ', ['bash', 'fish', 'zsh']],
  ['certify tracks view nothing-like-it', []],
]

test.each(CASES)('bash completes %j', async (line, offered) => {
  const script = `
    source <(certify completion bash); source <(certify completion bash)
    read -ra COMP_WORDS <<< "$1"; [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMP_LINE=$1; COMP_POINT=\${#1}
    _certify; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = await run(['bash', '--norc', '-c', script, 'bash', line], env)
  expect(stderr).toBe('')
  expect(
    stdout
      .split('\n')
      .filter((each) => each !== '')
      .toSorted(),
  ).toEqual(offered)
})

test.each(CASES)('fish completes %j', async (line, offered) => {
  const script = 'certify completion fish | source; complete -C $argv[1]'
  const { stdout, stderr } = await run(['fish', '--no-config', '-c', script, line], env)
  expect(stderr).toBe('')
  const words = stdout.split('\n').flatMap((each) => (each === '' ? [] : [each.split('\t')[0] ?? '']))
  expect(words.toSorted()).toEqual(offered)
})

/* zsh completes only at a real Tab key, so each case has a single completion, which then appears on the line. */
test.each(CASES.filter(([, offered]) => offered.length === 1))('zsh completes %j', async (line, [word = '']) => {
  const { output, missing } = await inTerminal(['zsh', '-f', '-i'], { ...env, PS1: '> ' }, [
    { wait: '> ', send: 'autoload -Uz compinit; compinit -u; source <(certify completion zsh); echo re""ady\r' },
    { wait: 'ready', send: `${line}\t` },
    { wait: word.slice(line.length - line.lastIndexOf(' ') - 1) || word, send: '\u0015exit\r' },
  ])
  expect([missing, output]).toEqual([null, expect.any(String)])
})

test('bash completes flags with an equals sign and files with spaces at a real Tab key', async () => {
  const steps = [
    { wait: '$ ', send: `cd ${home}; source <(certify completion bash); echo re""ady\r` },
    { wait: 'ready', send: 'certify invites create --if-invited=c\t' },
    { wait: '--if-invited=create', send: '\u0015certify tracks v\t' },
    { wait: 'tracks view ', send: '\u0015certify api @variables\\ \t' },
    { wait: '2.json', send: '\u0015exit\r' },
  ]
  const { missing } = await inTerminal(['bash', '--norc', '-i'], { ...env, PS1: '$ ' }, steps, 200)
  expect(missing).toBeNull()
})

test('fish completes files, also after an at sign, and flags with an equals sign', async () => {
  const complete = async (line: string) => {
    const script = `cd ${home}; certify completion fish | source; complete -C $argv[1]`
    return (await run(['fish', '--no-config', '-c', script, line], env)).stdout
  }
  expect(await complete('certify api --variables vari')).toContain('variables.json')
  expect(await complete('certify api @vari')).toContain('@variables.json')
  expect(await complete('certify invites create --if-invited=c')).toMatch(/^--if-invited=create/)
})
