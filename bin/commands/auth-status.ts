import { CliError } from '../cli-error.ts'
import { shownAddress } from '../config/connection.ts'
import type { DefineCommand } from '../context.ts'
import { checkKey, masked } from '../diagnosis/check-key.ts'
import { addManual } from '../help/manual.ts'
import type { Fields } from '../terminal/output.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'Asks the service with the operation that only reads. Whether a key may create invites cannot be found out ' +
        'without creating one.',
    ],
    output: 'what is in use and from where; the key shows its end only. The exit code is 4 where it is not accepted.',
    json: '{"profile","baseUrl","key","keyOrigin","accepted","mayList"}.',
    fields: ['profile', 'baseUrl', 'key', 'keyOrigin', 'accepted', 'mayList'],
    examples: ['certify auth status', 'certify auth status --json --profile staging'],
  }).action(async () => {
    const { output, connection } = context
    const { profile, baseUrl, apiKey } = connection()
    const { accepted, reads, error } = await checkKey(context)
    const status = {
      profile: profile.value ?? null,
      baseUrl: shownAddress(baseUrl.value ?? ''),
      key: masked(apiKey.value ?? ''),
      keyOrigin: apiKey.origin,
      accepted: accepted ?? null,
      mayList: reads ?? null,
    }
    const fields: Fields = [
      ['profile', status.profile ?? 'none'],
      ['base URL', `${status.baseUrl} (${baseUrl.origin})`],
      ['key', `${status.key} (${apiKey.origin})`],
      ['accepted', inWords(accepted)],
      ['may list tracks', inWords(reads)],
    ]
    const rows = Object.entries(status)
    await output.data({
      value: status,
      columns: [
        { title: 'NAME', value: ([name]: (typeof rows)[number]) => name },
        { title: 'VALUE', value: ([, value]: (typeof rows)[number]) => String(value ?? '') },
      ],
      rows,
      ids: [],
      draw: (terminal) => terminal.fields(fields),
    })
    if (accepted !== true) throw error ?? notAccepted()
  })
}

function inWords(answer: boolean | undefined): string {
  if (answer === undefined) return 'not known: the service could not be asked'
  return answer ? 'yes' : 'no'
}

function notAccepted(): CliError {
  return new CliError('the key is not accepted.', 'Run `certify auth login`.', { exitCode: 4 })
}
