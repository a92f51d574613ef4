import { plugin as typescript } from '@graphql-codegen/typescript'

/* The values that the specification shows. */
const SHOWN = { CertificationLevel: "'BEGINNER'", CertificationInviteStatus: "'PENDING'" }

/**
 * The plugin `typescript`, with open enumerations: a response may have values that the specification does not show.
 *
 * @type {typeof typescript}
 */
export const plugin = async (...given) => {
  const output = await typescript(...given)
  const content = typeof output === 'string' ? output : output.content
  const open = Object.entries(SHOWN).reduce(
    (text, [name, values]) =>
      text.replace(new RegExp(`^(export type ${name} =)[^;]*`, 'm'), `$1 ${values} | (string & {})`),
    content,
  )
  return { ...(typeof output === 'string' ? {} : output), content: open }
}
