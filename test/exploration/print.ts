import { RULES } from './books.ts'
import type { Found } from './explore.ts'

/** A violation as a test for `test/exploration/schedules.test.ts`. */
export function asTest({ rule, details, scenario, labels }: Found): string {
  return `/* ${details} */
test(${quoted(RULES[rule])}, async () => {
  const { violation } = await replay(
    ${JSON.stringify(scenario)},
    [
${labels.map((label) => `      ${quoted(label)},`).join('\n')}
    ],
  )
  expect(violation).toBeUndefined()
})
`
}

function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}
