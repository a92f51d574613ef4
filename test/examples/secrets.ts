import { expect } from 'vitest'
import type { MockServer } from '../../mock-server/index.ts'

/** Expects that an output is safe to log: no key, candidate, link or callback URL. */
export function expectNoSecrets(output: string, mock: MockServer, ...more: readonly string[]): void {
  const keys = mock.apiKeys.map(({ key }) => key)
  const candidates = mock.invites.flatMap(({ candidate: { email, name } }) => [email, name ?? email])
  const links = mock.invites.map(({ challengeUrl }) => challengeUrl)
  const tokens = mock.callbacks.list().map(({ url }) => new URL(url).pathname)
  const secrets = [...keys, ...candidates, ...links, ...tokens, ...more]
  expect(secrets.length).toBeGreaterThan(keys.length)
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([])
}
