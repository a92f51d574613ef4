import { beforeEach } from 'vitest'

/** Longer titles cannot be read in a list. A row of `test.each` has a name, or is quoted in short by `$0`. */
const MOST = 120

beforeEach(({ task: { name } }) => {
  if (name.length > MOST) {
    throw new Error(`A title has at most ${MOST} characters. This one has ${name.length}: ${name.slice(0, MOST)}…`)
  }
})
