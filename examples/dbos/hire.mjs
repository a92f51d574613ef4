// Starts a workflow for each line of its input: {"reference":"hire-17","quizId":"…","candidate":{"name":"…","email":"…"}}
import { env, stdin } from 'node:process'
import { createInterface } from 'node:readline'
import { DBOSClient } from '@dbos-inc/dbos-sdk'

const client = await DBOSClient.create({ systemDatabaseUrl: env.DATABASE_URL ?? '', applicationName: 'hiring' })
for await (const line of createInterface({ input: stdin })) {
  const { reference, ...input } = JSON.parse(line)
  /* A hire is one workflow: a second one with its id is not started. */
  await client.enqueue({ queueName: 'hires', workflowName: 'onboard', workflowID: reference }, input)
}
await client.destroy()
