import { expect, test } from 'vitest'
import { createOutput } from '../../bin/terminal/output.ts'
import { ioOf } from './run.ts'

interface Row {
  readonly id: string
  readonly text: string
}

const columns = [
  { title: 'ID', value: ({ id }: Row) => id },
  { title: 'TEXT', value: ({ text }: Row) => text },
]

async function* rowsUpTo(count: number, produced: { count: number } = { count: 0 }): AsyncGenerator<Row> {
  for (; produced.count < count; produced.count += 1) yield { id: `i${produced.count}`, text: 'line\n\u001B[31m' }
}

const data = (rows: AsyncIterable<Row>) => ({ rows, columns, table: columns, id: ({ id }: Row) => id })

test('rows are written before the last one is produced', async () => {
  const produced = { count: 0 }
  const { io } = ioOf([], {})
  const seen: number[] = []
  const stdout = { ...io.stdout, write: async () => void seen.push(produced.count) }
  await createOutput({ ...io, stdout }, { json: false }).stream(data(rowsUpTo(50_000, produced)))
  expect(seen.length).toBeGreaterThan(5)
  expect(seen[0]).toBeLessThan(10_000)
})

test('no more rows are produced after the reader closes stdout', async () => {
  const produced = { count: 0 }
  const { io } = ioOf([], { broken: { stdout: 'EPIPE' } })
  await createOutput(io, { json: true }).stream(data(rowsUpTo(1_000_000, produced)))
  expect(produced.count).toBeLessThan(10_000)
})

test('a failed write to stdout is OUTPUT_FAILED', async () => {
  const { io } = ioOf([], { broken: { stdout: 'ENOSPC' } })
  const stream = createOutput(io, { json: false }).stream(data(rowsUpTo(3)))
  await expect(stream).rejects.toMatchObject({ code: 'OUTPUT_FAILED', exitCode: 1 })
})
