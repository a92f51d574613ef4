import * as z from 'zod/mini'
import { SCHEMAS } from '../mock-server/contract/types.ts'
import { typeNameOf } from '../mock-server/contract/validation.ts'

/** What the schemas refer to by name. */
const IMPORTS = `import type { MockRequest, MockResponse } from '../contract/fetch-types.ts'
import type { Duration, Moment } from '../world/clock.ts'
import type { OperationName, Scope } from './operations.ts'
`

/** The public types of the mock, with the descriptions of their schemas. */
export function contractTypes(): string {
  const types = Object.entries(SCHEMAS).map(([name, schema]) => {
    const { shape } = definitionOf(schema)
    const text = shape
      ? `export interface ${name} ${membersOf(shape, '')}`
      : `export type ${name} = ${typeOf(schema, '', name)}`
    return `${comment(descriptionOf(schema), '')}${text}\n`
  })
  const names = Object.keys(SCHEMAS).map((name) => `  readonly ${name}: ${name}\n`)
  return [
    IMPORTS,
    ...types,
    `/** All of these types, by their names. */\nexport interface ContractTypes {\n${names.join('')}}\n`,
  ].join('\n')
}

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly values?: readonly unknown[]
  readonly entries?: Readonly<Record<string, string>>
  readonly options?: readonly z.core.$ZodType[]
  readonly items?: readonly z.core.$ZodType[]
  readonly element?: z.core.$ZodType
  readonly innerType?: z.core.$ZodType
  readonly keyType?: z.core.$ZodType
  readonly valueType?: z.core.$ZodType
}

function definitionOf(schema: object): Definition {
  return (schema as { readonly def: Definition }).def
}

/** The type of a schema; a schema that has its own type is named, except where that type is defined. */
function typeOf(schema: z.core.$ZodType, indent: string, defined?: string): string {
  const named = typeNameOf(schema) ?? Object.entries(SCHEMAS).find(([, each]) => each === schema)?.[0]
  if (named !== undefined && named !== defined) return named
  const { type, shape, values, entries, options, items, element, innerType, valueType } = definitionOf(schema)
  if (shape) return membersOf(shape, indent)
  if (values) return values.map(literal).join(' | ')
  if (entries) return Object.values(entries).map(literal).join(' | ')
  if (options) return options.map((each) => typeOf(each, indent)).join(' | ')
  if (items) return `readonly [${items.map((each) => typeOf(each, indent)).join(', ')}]`
  if (element) return `readonly ${inParentheses(typeOf(element, indent))}[]`
  if (type === 'nullable' && innerType) return `${typeOf(innerType, indent)} | null`
  if (type === 'record' && valueType) return `Readonly<Record<string, ${typeOf(valueType, indent)}>>`
  if (['string', 'number', 'boolean', 'unknown'].includes(type)) return type
  throw new Error(`The type of a schema ${type} is not known.`)
}

function membersOf(shape: NonNullable<Definition['shape']>, indent: string): string {
  const inside = `${indent}  `
  const members = Object.entries(shape).map(([name, schema]) => {
    const { type, innerType } = definitionOf(schema)
    const isOptional = type === 'optional' && innerType !== undefined
    const text = isOptional
      ? `${name}?: ${typeOf(innerType, inside)} | undefined`
      : `${name}: ${typeOf(schema, inside)}`
    return `${comment(memberDescription(schema), inside)}${inside}readonly ${text}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

/** The description of a member, or else the first paragraph of its type's. */
function memberDescription(schema: z.core.$ZodType): string | undefined {
  const description = descriptionOf(schema)
  if (Object.values(SCHEMAS).some((each) => each === schema)) return description?.split('\n\n', 1)[0]
  if (description !== undefined) return description
  const { innerType } = definitionOf(schema)
  return innerType && memberDescription(innerType)
}

/** The description, with the default setting of a switch. */
function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const { description, default: byDefault } = z.globalRegistry.get(schema) ?? {}
  if (description === undefined || byDefault === undefined) return description
  const setting = Array.isArray(byDefault) ? byDefault.join(', ') : JSON.stringify(byDefault).replaceAll('"', '')
  return `${description} Default \`${setting}\`.`
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return ''
  const lines = text.split('\n').flatMap((line) => wrapped(line, 110 - indent.length))
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

function wrapped(line: string, width: number): string[] {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function inParentheses(type: string): string {
  return type.includes(' | ') ? `(${type})` : type
}
