/* Postgres has no character 0, and no halves of surrogate pairs. They are written with this mark, and so is the mark. */
const MARK = '\uF8FE'
const WRITTEN_WITH_MARK = /[\0\uF8FE\p{Cs}]/gu
const MARKED = /\uF8FE([\da-f]{4})/g

/** A value as JSON that Postgres can store, whatever its texts contain. The keys of its objects have to be plain. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'string'
      ? each.replace(WRITTEN_WITH_MARK, (one) => MARK + one.charCodeAt(0).toString(16).padStart(4, '0'))
      : each,
  )
}

/** The value of {@link toJsonText}. */
export function fromJsonText(text: string): unknown {
  if (!text.includes(MARK)) return JSON.parse(text) as unknown
  return JSON.parse(text, (_key, each: unknown) =>
    typeof each === 'string'
      ? each.replace(MARKED, (_mark, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      : each,
  ) as unknown
}
