// Saves a hire and its job for each line of its input: {"reference":"hire-17","quizId":"…","candidate":{"name":"…","email":"…"}}
import { env, stdin } from 'node:process'
import { createInterface } from 'node:readline'
import { Pool } from 'pg'
import { openQueue, QUEUE } from './queue.mjs'

const pool = new Pool({ connectionString: env.DATABASE_URL })
await pool.query('CREATE TABLE IF NOT EXISTS hires (reference text PRIMARY KEY, email text NOT NULL)')
const boss = await openQueue()
for await (const line of createInterface({ input: stdin })) await hire(JSON.parse(line))
await boss.stop()
await pool.end()

/* The hire and the job of its invite are saved together, or not at all. */
async function hire({ reference, quizId, candidate }) {
  const client = await pool.connect()
  const db = { executeSql: (text, values) => client.query(text, values) }
  try {
    await client.query('BEGIN')
    const insert = 'INSERT INTO hires VALUES ($1, $2) ON CONFLICT DO NOTHING'
    await client.query(insert, [reference, candidate.email])
    /* A job added twice has the same reference, so it invites only once. */
    await boss.send(QUEUE, { reference, quizId, candidate }, { db })
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}
