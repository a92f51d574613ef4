import type { PostgresClient } from './client.ts'
import { fromJsonText, toJsonText } from './json-text.ts'

/** Runs a statement that has one argument and one result column, both JSON as text. */
export async function runOn<Result>(client: PostgresClient, text: string, argument: unknown): Promise<Result> {
  const answer = await client.query(text, argument === null ? [] : [toJsonText(argument)])
  const row = ('rows' in answer ? answer.rows : answer)[0]
  const result = row === undefined ? null : (Object.values(row)[0] as string | null)
  return (result === null ? undefined : fromJsonText(result)) as Result
}
