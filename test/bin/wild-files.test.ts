import { expect, test } from 'vitest'
import { createBulk } from './bulk.ts'
import { WILD_FILES, type WildEnd, writeWildFiles } from './wild-files.ts'
import { NO_COLOR } from './run.ts'

/* A dry run ends as the run does. */
const CODES: Readonly<Record<WildEnd, number>> = { sent: 0, rows: 2, skipped: 3, file: 2 }

test.each(WILD_FILES)('$name ends as $end and invites exactly the expected candidates', async (file) => {
  const { name, flags, end, sent, says } = file
  const { mock, run, at } = createBulk()
  writeWildFiles(at('wild'))
  const path = at(`wild/${name}`)

  const plan = await run(['bulk', path, '--dry-run', ...flags], { terminal: 400, env: NO_COLOR })
  expect(plan.stderr.replaceAll(/\s+/g, ' ')).toContain(says)
  expect([plan.code, mock.invites]).toEqual([CODES[end], []])

  const ended = await run(['bulk', path, '--yes', ...flags])
  const invited = mock.invites.map(({ candidate }) => [candidate.email, candidate.name ?? ''])
  expect([ended.code, Object.fromEntries(invited)]).toEqual([CODES[end], sent])
  /* Nobody is invited twice. A package creates one invite per quiz. */
  const pairs = new Set(mock.invites.map(({ candidate, quizId }) => `${candidate.email} ${quizId}`))
  expect(mock.invites.length).toBe(pairs.size)
  /* Without a terminal, errors and plans quote no line of the file. */
  expect(ended.stderr).not.toContain('example.com,')
})
