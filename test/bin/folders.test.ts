import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('the folders of the CLI import each other in one order, types included', () => {
  const imports = folderImports('bin')
  expect(imports.size).toBeGreaterThan(10)
  const ordered: string[] = []
  for (;;) {
    const next = [...imports.keys()].filter((folder) =>
      [...(imports.get(folder) ?? [])].every((each) => !imports.has(each)),
    )
    if (next.length === 0) break
    for (const folder of next) imports.delete(folder)
    ordered.push(...next)
  }
  expect([...imports.keys()], `after ${ordered.join(', ')}`).toEqual([])
})

/* The folders that each folder imports. The files of `bin` itself are in no order: the entry, and what all of them share. */
function folderImports(top: string): Map<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>()
  for (const name of readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })) {
    const from = dirname(join(top, name))
    if (!name.endsWith('.ts') || from === top) continue
    const others = imports.get(from) ?? new Set()
    imports.set(from, others)
    for (const [, path = ''] of readFileSync(join(root, top, name), 'utf8').matchAll(
      /(?:from |import\()'(\.[^'?]+)/g,
    )) {
      const to = dirname(join(from, path))
      if (to.startsWith(`${top}/`) && to !== from) others.add(to)
    }
  }
  return imports
}
