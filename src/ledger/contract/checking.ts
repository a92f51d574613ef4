import { expect } from 'vitest'
import type { LedgerScope, Settlement } from '../rules/entry.ts'
import { created, invite, record, request, single } from './samples.ts'
import type { Rule } from './setting.ts'

export const checking: readonly Rule[] = [
  {
    title: 'counts the entries of each state, and finds no problem',
    test: async ({ ledger }) => {
      const ends: readonly (Settlement | undefined)[] = [
        undefined,
        created(invite('inv_1')),
        { state: 'refused' },
        { state: 'unknown' },
        { state: 'unknown' },
      ]
      for (const [index, end] of ends.entries()) {
        await record(ledger, `r${index}`, end, { target: single(`${index}@example.com`) })
      }
      expect(await ledger.check()).toMatchObject({
        problems: [],
        lookAlikes: [],
        entries: { sending: 1, created: 1, refused: 1, 'not-executed': 0, unknown: 2 },
        schemaVersion: expect.any(Number),
        driver: expect.any(String),
      })
    },
  },
  {
    title: 'names scopes that look alike if they have entries, and does not call them a problem',
    test: async ({ ledger }) => {
      const scopes = [
        { baseUrl: 'https://certify.test/Api', account: 'Acme Corp' },
        { baseUrl: 'http://certify.test/Api', account: 'Acme Corp' },
        { baseUrl: 'https://certify.test:8443/api', account: 'acmecorp' },
        { baseUrl: 'http://localhost:4010', account: 'acme' },
        { baseUrl: 'http://[::1]:4010', account: 'acme' },
        { baseUrl: 'http://127.0.0.1:4010', account: 'acme', world: 'a world of a mock' },
        { baseUrl: 'http://127.0.0.1:4010', account: 'globex' },
        { baseUrl: 'https://other.test/Api', account: 'Acme Corp' },
        { baseUrl: 'https://other.test/api', account: 'Acme Corp' },
      ].map((each) => ({ world: '', ...each }))
      for (const [index, scope] of scopes.entries()) {
        await record(ledger, `r${index}`, undefined, { scope, target: single(`${index}@example.com`) })
      }
      await ledger.settle('r8', { state: 'refused' })
      await ledger.purge({ email: '8@example.com' })
      const { problems, lookAlikes } = await ledger.check()
      expect(problems).toEqual([])
      /* In any order. */
      const named = (group: readonly LedgerScope[]) =>
        new Set(group.map(({ baseUrl, account, world }) => [baseUrl, account, world].join(' ')))
      expect(new Set(lookAlikes.map(named))).toEqual(new Set([scopes.slice(0, 3), scopes.slice(3, 5)].map(named)))
    },
  },
  {
    title: 'of the room for one send finds enough, if the ledger can tell',
    test: async ({ ledger }) => {
      expect(await ledger.checkRoom?.(1)).toBeUndefined()
    },
  },
  {
    title: 'has the place of the ledger, without a password',
    test: async ({ ledger }) => {
      expect(ledger.path).toMatch(/\S/)
      expect(ledger.path).not.toMatch(/:\/\/[^/@]*:[^/@]+@/)
    },
  },
  {
    title: 'keeps what was recorded before it, and records nothing after it',
    test: async ({ ledger }) => {
      await record(ledger, 'a', undefined)
      await ledger.close()
      const calls = [
        () => ledger.claim(request('b', { target: single('grace@example.com') })),
        () => ledger.settle('a', { state: 'refused' }),
        () => ledger.find('a'),
        () => ledger.resolve('a', { notCreated: true }),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE' })
    },
  },
]
