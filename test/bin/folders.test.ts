import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('no two folders of the CLI import each other, types included', () => {
  const directions = new Set(filesOf('bin').flatMap(directionsOf))
  const both = [...directions].filter((each) => directions.has(each.split(' > ').toReversed().join(' > ')))
  expect(directions.size).toBeGreaterThan(10)
  expect(both).toEqual([])
})

function filesOf(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name))
}

/* The entry of a folder and what lies in it are one place. */
function directionsOf(file: string): readonly string[] {
  const from = dirname(file)
  const imports = readFileSync(join(root, file), 'utf8').matchAll(/(?:from |import\()'(\.[^'?]+)/g)
  return [...imports]
    .map(([, path = '']) => dirname(join(from, path)))
    .filter(
      (to) =>
        to.startsWith('bin/') && from !== 'bin' && !`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`),
    )
    .map((to) => `${from} > ${to}`)
}
