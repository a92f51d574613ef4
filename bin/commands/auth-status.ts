import { shownAddress, storeOf } from '../config/connection.ts'
import type { DefineCommand } from '../context.ts'
import { checkKey, keyText } from '../diagnosis.ts'
import { addManual } from '../help.ts'
import { namedValues } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about: 'Sends one read-only request. Whether a key may create invites cannot be checked without creating one.',
    output:
      'the settings in use and their origins, with the key masked. The exit code is 4 if the key is not accepted.',
    columns,
    examples: ['certify auth status', 'certify auth status --json --profile staging'],
    guide: 'getting-started.md',
  }).action(async () => {
    const { io, output, connection } = context
    const { profile, baseUrl, authentication } = connection()
    const check = await checkKey(context)
    const { accepted, reads } = check
    const status = {
      profile: profile.value ?? null,
      profiles: Object.keys(storeOf(io).config().profiles),
      baseUrl: shownAddress(baseUrl.value ?? ''),
      key: authentication.value === undefined ? '' : keyText(authentication.value),
      keyOrigin: authentication.origin,
      accepted: accepted ?? null,
      mayList: reads ?? null,
    }
    await output.data({
      value: status,
      columns,
      rows: Object.entries(status),
      draw: (terminal) =>
        terminal.fields([
          ['profile', status.profile ?? 'none'],
          ['profiles', status.profiles.join(', ') || 'none'],
          ['base URL', `${status.baseUrl} (${baseUrl.origin})`],
          ['key', `${status.key} (${authentication.origin})`],
          ['accepted', yesOrNo(accepted)],
          ['may list tracks', yesOrNo(reads)],
        ]),
    })
    if (check.accepted !== true) throw check.error
  })
}

const columns = namedValues('NAME')

function yesOrNo(value: boolean | undefined): string {
  if (value === undefined) return 'not known: the service could not be reached'
  return value ? 'yes' : 'no'
}
