import { beforeEach } from 'vitest'

/** Longer titles cannot be read in a list. A row of `test.each` has a name, or is quoted in short by `$0`. */
const MAX_LENGTH = 120

beforeEach(({ task: { name } }) => {
  if (name.length > MAX_LENGTH) {
    throw new Error(
      `A title has at most ${MAX_LENGTH} characters. This one has ${name.length}: ${name.slice(0, MAX_LENGTH)}…`,
    )
  }
})
