import type { SendInput, Target } from './entry.ts'

const API_PATH = '/api/developer/graphql'

/** How long a link lives, by the specification: whatever may have been created before that is closed now. */
export const LINK_LIFETIME_MS: number = 14 * 24 * 60 * 60 * 1000

/** What makes two addresses the same candidate: the text trimmed and in lower case. Dots and `+tags` count. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase()
}

/** The base URL in the one spelling that keys have. */
export function baseUrlOf(endpointOrBase: string): string {
  const { origin, pathname } = new URL(endpointOrBase)
  const path = pathname.replace(/\/+$/, '')
  return origin + (path.endsWith(API_PATH) ? path.slice(0, -API_PATH.length) : path)
}

/** What a target claims: its quizzes and its package, each by itself. */
export function subjectsOf({ quizIds, packageId }: Target): readonly string[] {
  return [...quizIds.map(quizSubject), ...(packageId === undefined ? [] : [`package:${packageId}`])]
}

export function quizSubject(quizId: string): string {
  return `quiz:${quizId}`
}

/** What an input is about. `quizIds`: those of the package, as far as they are known. */
export function targetOf(input: SendInput, quizIds: readonly string[] = []): Target {
  const { email } = input.candidate
  return 'packageId' in input ? { email, packageId: input.packageId, quizIds } : { email, quizIds: [input.quizId] }
}
