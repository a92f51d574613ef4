import { plugin as typescript } from '@graphql-codegen/typescript'

/**
 * The plugin `typescript`, with `export type` for the enumerations that come from another file: it writes `export`, which a
 * compiler with `verbatimModuleSyntax` refuses.
 *
 * @type {typeof typescript}
 */
export const plugin = async (...given) => {
  const output = await typescript(...given)
  const content = typeof output === 'string' ? output : output.content
  const exported = content.replace(/^export \{ (\w+) \};$/gm, 'export type { $1 };')
  return { ...(typeof output === 'string' ? {} : output), content: exported }
}
