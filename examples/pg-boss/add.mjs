// Adds a job for each line of its input: {"reference":"hire-17","quizId":"…","candidate":{"name":"…","email":"…"}}
import { stdin } from 'node:process'
import { createInterface } from 'node:readline'
import { openQueue, QUEUE } from './queue.mjs'

const boss = await openQueue()
for await (const line of createInterface({ input: stdin })) {
  const { reference, quizId, candidate } = JSON.parse(line)
  /* The reference belongs to the work, not to the delivery: the same hire is the same reference, also if it is added twice. */
  await boss.send(QUEUE, { reference, quizId, candidate })
}
await boss.stop()
