import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { repository } from '../package/consumer.ts'
import { installExample, startExample } from './run-example.ts'

const read = (path: string) => readFileSync(join(repository, 'examples', path), 'utf8')

test.each([
  ['fastify', ''],
  ['nestjs', 'src/'],
  ['nextjs', ''],
])('invites.ts and applicants.ts of %s are the same as for Express', (name, folder) => {
  for (const file of ['invites.ts', 'applicants.ts'])
    expect(read(`${name}/${folder}${file}`)).toBe(read(`express/${file}`))
})

test.each(['fastify', 'nestjs', 'nextjs'])('the commands in the README of %s are the same as for Express', (name) => {
  const commands = blocksOf(name).map((block) => block.replace('npm run build\n', ''))
  expect(commands).toEqual(blocksOf('express'))
})

test('the commands in the README of Express do what it says', async () => {
  const [first = '', calls = ''] = blocksOf('express')
  const consumer = inject('consumer')
  const folder = installExample(consumer, 'express')
  /* The package is installed already, and the port is a free one. */
  const [, secrets = '', command = ''] = first.trim().split('\n')
  const certify = join(consumer, 'node_modules/.bin/certify')
  const start = command.replace('npx certify-sdk', certify).replace('3000', '$PORT')
  const running = await startExample(folder, {}, `sh -c '${secrets}; ${start}'`)
  onTestFinished(running.kill)
  const output = execFileSync('sh', ['-c', calls.replaceAll('http://127.0.0.1:3000', running.origin)], {
    encoding: 'utf8',
  })
  const answers = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(answers).toMatchObject([
    { state: 'invited' },
    { state: 'invited', inviteId: answers[0]?.['inviteId'] },
    { state: 'being checked' },
    { sends: [{ state: 'unknown', reference: answers[2]?.['reference'] }] },
  ])
})

function blocksOf(name: string): readonly string[] {
  return [...read(`${name}/README.md`).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}
