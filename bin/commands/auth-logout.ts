import { CliError } from '../cli-error.ts'
import { SANDBOX, storeOf } from '../config/connection.ts'
import { readText } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: ['The profile itself stays. The key is deleted here only; the service still accepts it.'],
    output: 'the profiles whose keys were deleted, one a line.',
    json: 'the same as a list.',
    ids: 'the same',
    refusesJq: true,
    hasNoDryRun: true,
    examples: ['certify auth logout', 'certify auth logout --profile staging', 'certify auth logout --all'],
  })
    .option('--all', 'delete the keys of all profiles, also from a file that cannot be read')
    .action(async ({ all = false }: { all?: boolean }) => {
      const { io, output, program } = context
      const store = storeOf(io)
      let deleted: readonly string[] = []
      if (all) {
        await store.forgetKeys()
      } else {
        const inUse = { value: store.config().profile, origin: '' }
        const { value } = readText('profile', program.root.opts(), io.env, inUse)
        if (value === undefined || !Object.hasOwn(store.credentials().keys, value)) throw nothingStored(value)
        deleted = [value]
        await store.change(({ config, credentials }) => {
          const { [value]: _deleted, ...keys } = credentials.keys
          return { config, credentials: { ...credentials, keys } }
        })
      }
      const columns = [{ title: 'PROFILE', value: (name: string) => name }]
      await output.data({ value: deleted, columns, rows: deleted, ids: deleted, draw: () => '' })
      await output.remark(all ? 'All keys are deleted.' : `The key of profile ${deleted.join()} is deleted.`)
    })
}

function nothingStored(profile: string | undefined): CliError {
  const what = profile === undefined ? 'no profile is in use' : 'no key is stored for this profile'
  const builtIn = profile === SANDBOX.name ? ' The key of the sandbox is built in.' : ''
  return new CliError(`${what}.${builtIn}`, '`certify profiles list` shows which profiles have a key.')
}
