import type { Output, Schema } from './validation.ts'

/**
 * Holds a schema to a generated type: what the schema yields and what the schema of the service says have to be the
 * same, field by field, or this does not compile. Enumerations count as strings, since outputs are open.
 */
export function matchesGenerated<Generated>() {
  return <Of extends Schema>(schema: Of & SameShape<Output<Of>, Generated>): Of => schema
}

type SameShape<Ours, Theirs> = Same<Shape<Ours>, Shape<Theirs>> extends true ? unknown : { 'differs from': Theirs }

/* The usual test for identical types: assignability alone would not see a missing optional field. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type Shape<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Shape<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Shape<T[Key]> }
      : T
