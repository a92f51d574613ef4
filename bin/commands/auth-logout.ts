import { CliError } from '../cli-error.ts'
import { SANDBOX, storeOf } from '../config/connection.ts'
import { readOption } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about:
      'The settings of the profile are kept. The key is deleted from this machine only; the service still accepts it.',
    output: 'one row per profile whose key was deleted.',
    columns,
    ids: 'the same',
    examples: ['certify auth logout --profile staging', 'certify auth logout --all'],
    guide: 'getting-started.md',
  })
    .option('--all', 'delete the keys of all profiles, even if their file cannot be parsed')
    .action(async ({ all = false }: { readonly all?: boolean }) => {
      const { io, output, program } = context
      const store = storeOf(io)
      let deleted: readonly string[] = []
      if (all) deleted = store.forgetKeys()
      else {
        const name = readOption(program.root, 'profile')?.value ?? store.config().profile
        if (name === undefined || !Object.hasOwn(store.credentials(), name)) throw nothingStored(name)
        deleted = [name]
        store.change(({ config, credentials: { [name]: _deleted, ...credentials } }) => ({ config, credentials }))
      }
      await output.data({ value: deleted, columns, rows: deleted, ids: deleted, draw: () => '' })
      await output.remark(all ? 'All keys were deleted.' : `The key of profile ${deleted.join()} was deleted.`)
    })
}

const columns = [{ title: 'PROFILE', value: (name: string) => name }]

function nothingStored(profile: string | undefined): CliError {
  const what = profile === undefined ? 'no profile is in use' : 'no key is stored for this profile'
  const builtIn = profile === SANDBOX.name ? ' The key of the sandbox is built in.' : ''
  return new CliError(`${what}.${builtIn}`, '`certify auth status` shows the profiles.')
}
