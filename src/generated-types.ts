import type { Output, Schema } from './validation.ts'

/**
 * Checks a schema against a generated type. If the type of the schema differs in any field, this does not compile.
 * Enumerations count as strings: outputs are open.
 */
export function matchesGenerated<Generated>() {
  return <Of extends Schema>(schema: Of & SameShape<Output<Of>, Generated>): Of => schema
}

type SameShape<Ours, Theirs> = Same<Shape<Ours>, Shape<Theirs>> extends true ? unknown : { 'differs from': Theirs }

/* The usual test for identical types. Assignability would miss an absent optional field. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type Shape<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Shape<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Shape<T[Key]> }
      : T
