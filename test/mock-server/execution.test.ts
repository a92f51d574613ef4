import * as fc from 'fast-check'
import {
  executeSync,
  getOperationAST,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  parse,
  validate,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { Executor } from '../../mock-server/api/execution.ts'
import { schemaFor } from '../../mock-server/api/schema.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ask } from './calls.ts'

/* Whatever is asked, the answer is what graphql-js answers: the same data in the same order, the same errors. */

const schemas = { null: schemaFor('null'), partial: schemaFor('partial') }

const rows = { id: 'id', name: 'name', slug: 'slug', quizId: 'q', skillName: 's', level: 'BEGINNER', description: 'd' }
const skill = { ...rows, durationMinutes: 30, enabledLanguages: ['ts', 'js'], conceptsTested: [] }
const packages = [
  { ...rows, skills: [skill, skill] },
  { ...rows, skills: [] },
]
const invite = { ...skill, inviteId: 'i', status: 'PENDING', challengeUrl: 'u', expiresAt: 'e', emailSent: false }
const rootValue = {
  developerCertificationPackageTracks: (args: object) => [{ ...rows, name: JSON.stringify(args), packages }],
  developerCreateCertificationInvite: ({ input }: { input: { quizId: string } }, reasons: readonly string[]) => {
    if (reasons.includes(input.quizId)) throw new TypeError(`refused ${input.quizId}`)
    return { ...invite, inviteId: JSON.stringify(input) }
  },
  developerCreateCertificationPackageInvite: () => ({ packageId: 'p', packageName: 'n', invites: [invite] }),
}

const TRACKS = 'developerCertificationPackageTracks'
const variables = {
  a: fc.constantFrom('text', null, undefined, 7),
  i: fc.constantFrom(
    { quizId: 'q', candidate: { email: 'e' } },
    { quizId: 'none', candidate: { email: 'e' } },
    {},
    null,
  ),
}
const args: Record<string, fc.Arbitrary<string>> = {
  [TRACKS]: fc.constantFrom('', '(search: $a)', '(search: "x", trackSlug: $a)', '(trackSlug: null)'),
  developerCreateCertificationInvite: fc.constantFrom(
    '(input: $i)',
    '(input: { quizId: "none", candidate: { email: "" } })',
  ),
  developerCreateCertificationPackageInvite: fc.constant('(input: { packageId: "", candidate: { email: "" } })'),
}

function selection(type: GraphQLObjectType, depth = 0): fc.Arbitrary<string> {
  const field = fc.constantFrom('__typename', ...Object.keys(type.getFields())).chain((name) => {
    const within = getNamedType(type.getFields()[name]?.type)
    const alias = fc.constantFrom('', `${name}_x: `, `_${depth}: `)
    const inner = isObjectType(within) ? selection(within, depth + 1).map((text) => `{ ${text} }`) : fc.constant('')
    return fc
      .tuple(alias, args[name] ?? fc.constant(''), inner)
      .map(([as, given, text]) => `${as}${name}${given} ${text}`)
  })
  const piece = fc.oneof(
    { weight: 6, arbitrary: field },
    field.map((text) => `... { ${text} }`),
    field.map((text) => `... on ${type.name} { ${text} ${text} }`),
    fc.constant(`...${type.name}_`),
    fc.constant('... @skip(if: $no) { __typename }'),
  )
  return fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(' '))
}

describe.each(['Query', 'Mutation'])('%s', (root) => {
  test.each(['null', 'partial'] as const)('with refusals as %s', (refused) => {
    const schema = schemas[refused]
    const types = [
      'CertificationPackageTrack',
      'CertificationPackage',
      'CertificationPackageSkill',
      'CertificationInvite',
      root,
    ]
    const fragments = types.map((name) => {
      const type = schema.getType(name)
      if (!isObjectType(type)) throw new Error(`no type ${name}`)
      const text =
        name === root
          ? fc.constant('__typename')
          : selection(type, 5).map((each) => each.replaceAll(/\.\.\.\w+/g, '__typename'))
      return text.map((each) => `fragment ${name}_ on ${name} { ${each} }`)
    })
    const type = schema.getType(root) as GraphQLObjectType
    const property = fc.property(
      selection(type),
      fc.tuple(...fragments),
      fc.record(variables),
      (body, parts, values) => {
        const used = (part: string): boolean => body.includes(`...${part.split(' ')[1]}`)
        const signature = '($a: String, $i: DeveloperCreateCertificationInviteInput!, $no: Boolean = false)'
        const document = parse([`${root.toLowerCase()} ${signature} { ${body} }`, ...parts.filter(used)].join(' '))
        const serious = validate(schema, document).filter(({ message }) => !/is never used/.test(message))
        fc.pre(serious.length === 0)
        const operation = getOperationAST(document)
        if (!operation) throw new Error('no operation')
        const execution = { schema, document, operation, rootValue, contextValue: ['none'], variableValues: values }
        const executor = new Executor(schema)
        const expected = JSON.stringify(executeSync(execution))
        expect(JSON.stringify(executor.execute(execution))).toBe(expected)
        expect(JSON.stringify(executor.execute(execution))).toBe(expected)
      },
    )
    fc.assert(property, { numRuns: 150, seed: 11 })
  })
})

test('a field may be called __proto__ in the answer, and nothing else comes of it', async () => {
  const { text } = await ask(createMockServer(), '{ __proto__: __typename constructor: __typename }')
  expect(text).toBe('{"data":{"__proto__":"Query","constructor":"Query"}}')
})
