import {
  $ZodArray,
  $ZodBoolean,
  $ZodNever,
  $ZodNumber,
  $ZodObject,
  $ZodOptional,
  $ZodString,
  type $ZodType,
  type CheckFn,
  clone,
  safeParse,
} from 'zod/v4/core'

/*
 * What src/ uses of zod/mini, over the same core. There, each schema carries methods that nobody calls here: promises,
 * registries, brands. A function that src/ begins to use has to be added here, or the build fails.
 */
export { regexes } from 'zod/v4/core'

export const string = (rule?: string) => withMethods(new $ZodString({ type: 'string', ...error(rule) }))
export const number = (rule?: string) => withMethods(new $ZodNumber({ type: 'number', ...error(rule) }))
export const boolean = (rule?: string) => withMethods(new $ZodBoolean({ type: 'boolean', ...error(rule) }))
export const array = (element: $ZodType) => withMethods(new $ZodArray({ type: 'array', element }))
export const optional = (innerType: $ZodType) => withMethods(new $ZodOptional({ type: 'optional', innerType }))
export const object = (shape: Shape) => withMethods(new $ZodObject({ type: 'object', shape }))
export const strictObject = (shape: Shape) =>
  withMethods(new $ZodObject({ type: 'object', shape, catchall: new $ZodNever({ type: 'never' }) }))

type Shape = Readonly<Record<string, $ZodType>>

const error = (rule?: string) => (rule === undefined ? {} : { error: () => rule })

function withMethods(schema: $ZodType) {
  return Object.assign(schema, {
    safeParse: (value: unknown) => safeParse(schema, value),
    check(check: CheckFn<unknown>) {
      // oxlint-disable-next-line no-underscore-dangle
      const { def } = schema._zod
      const added = { _zod: { check, def: { check: 'custom' }, onattach: [] } }
      return withMethods(clone(schema, { ...def, checks: [...(def.checks ?? []), added] }))
    },
  })
}
