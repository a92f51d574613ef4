import { jsonSchemaOf } from '../schemas/json-schema.ts'
import { switches } from '../schemas/switches.ts'

export interface Meaning {
  readonly meaning: string
  /** The settings to choose from; empty where there are others than texts and numbers. */
  readonly choices: readonly (string | number)[]
}

/** What each behaviour switch means, in one sentence, and its settings. */
export function switchMeanings(): Readonly<Record<string, Meaning>> {
  const { properties } = jsonSchemaOf(switches, 'input') as { properties: Record<string, Property> }
  return Object.fromEntries(
    Object.entries(properties).map(([name, { description = '', enum: choices = [] }]) => {
      const [meaning = ''] = /^.*?(?:\.(?= |$)|(?=:))/s.exec(description) ?? []
      return [name, { meaning, choices }]
    }),
  )
}

interface Property {
  readonly description?: string
  readonly enum?: readonly (string | number)[]
}
