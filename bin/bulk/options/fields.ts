/** The fields of a row, by their names in a template. */
export const FIELDS = [
  'email',
  'name',
  'first_name',
  'last_name',
  'quiz_id',
  'package_id',
  'external_reference',
  'send_email',
  'callback_url',
] as const

export type Field = (typeof FIELDS)[number]

/** A heading, and the field that it means, from `--map`. */
export interface HeadingMeaning {
  readonly heading: string
  readonly field: Field
}
