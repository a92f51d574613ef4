import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { runIn, writeProject } from '../package/consumer.ts'
import { cjs } from '../package/job.ts'

test('the package works under Jest, over HTTP and in process', () => {
  const folder = writeProject(inject('consumer'), 'under-jest', {
    'package.json': '{"private":true}',
    'job.test.js': `${cjs}
test('the main job', async () => {
  expect(await job()).toBe('true BAD_USER_INPUT')
  const listener = await mock.listen()
  const overHttp = new CertifyClient({ baseUrl: listener.url, apiKey: mock.apiKey })
  expect(await overHttp.tracks.get('react')).toMatchObject({ slug: 'react' })
  await listener.close()
})`,
  })
  const jest = join(import.meta.dirname, 'node_modules/jest/bin/jest.js')
  const { status, stderr } = runIn(folder, 'node', [jest, '--ci'])
  expect(stderr).toContain('1 passed')
  expect(status).toBe(0)
})
