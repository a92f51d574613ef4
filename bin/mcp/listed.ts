import type { CertifyClient } from '../../src/index.ts'
import { codeOf } from '../cli-error.ts'

/** What the service lists now, by identifier. */
export interface Listed {
  /** Whether this key may not list anything. */
  readonly isForbidden: boolean
  /** The names of quizzes. */
  readonly quizzes: ReadonlyMap<string, string>
  readonly packages: ReadonlyMap<string, { readonly title: string; readonly quizIds: readonly string[] }>
}

/** Reads the names that a plan shows to a person. @throws CertifyError as `tracks.list`, except FORBIDDEN */
export async function readListed(client: CertifyClient, signal: AbortSignal): Promise<Listed> {
  const packages = await packagesOf(client, signal)
  const skills = packages?.flatMap((each) => each.skills) ?? []
  return {
    isForbidden: packages === undefined,
    quizzes: new Map(skills.map(({ quizId, skillName, level }) => [quizId.trim(), titleOf(skillName, level)])),
    packages: new Map(
      packages?.map((each) => [
        each.id.trim(),
        { title: titleOf(each.name, each.level), quizIds: each.skills.map(({ quizId }) => quizId) },
      ]),
    ),
  }
}

async function packagesOf(client: CertifyClient, signal: AbortSignal) {
  try {
    return (await client.tracks.list({}, { signal })).flatMap(({ packages }) => packages)
  } catch (error) {
    if (codeOf(error) === 'FORBIDDEN') return undefined
    throw error
  }
}

function titleOf(name: string | null, level: string | null): string {
  return [name ?? '-', ...(level === null ? [] : [`(${level})`])].join(' ')
}
