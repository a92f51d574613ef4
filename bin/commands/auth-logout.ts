import { CliError } from '../cli-error.ts'
import { SANDBOX, storeOf } from '../config/connection.ts'
import { readText } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: ['The profile itself stays. The key is forgotten here; the service still accepts it from others.'],
    output: 'the profiles whose keys were forgotten, one a line.',
    json: 'the same as a list.',
    ids: 'the same',
    examples: ['certify auth logout', 'certify auth logout --profile staging', 'certify auth logout --all'],
  })
    .option('--all', 'forget the keys of all profiles, also from a file that cannot be read')
    .action(async ({ all = false }: { all?: boolean }) => {
      const { io, output, program } = context
      const store = storeOf(io)
      let forgotten: readonly string[] = []
      if (all) {
        await store.forgetKeys()
      } else {
        const { value } = readText('profile', program.root.opts(), io.env, {
          value: store.config().profile,
          origin: '',
        })
        const { keys } = store.credentials()
        if (value === undefined || !Object.hasOwn(keys, value)) throw nothingStored(value)
        forgotten = [value]
        await store.change(({ config, credentials }) => {
          const { [value]: _forgotten, ...others } = credentials.keys
          return { config, credentials: { ...credentials, keys: others } }
        })
      }
      const columns = [{ title: 'PROFILE', value: (name: string) => name }]
      await output.data({ value: forgotten, columns, rows: forgotten, ids: forgotten, draw: () => '' })
      await output.remark(all ? 'All keys are forgotten.' : `The key of profile ${forgotten.join()} is forgotten.`)
    })
}

function nothingStored(profile: string | undefined): CliError {
  const what = profile === undefined ? 'no profile is in use' : 'no key is stored for this profile'
  const built = profile === SANDBOX.name ? ' That of the sandbox is built in.' : ''
  return new CliError(`${what}.${built}`, '`certify profiles list` shows which profiles have a key.')
}
