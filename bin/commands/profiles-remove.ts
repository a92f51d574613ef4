import { CliError } from '../cli-error.ts'
import { profileOf, SANDBOX, storeOf } from '../config/connection.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    output: 'the name of the profile that was removed.',
    json: '{"profile"}.',
    ids: 'the same',
    refusesJq: true,
    hasNoDryRun: true,
    examples: ['certify profiles remove staging'],
  })
    .argument('<profile>', 'its name, as `certify profiles list` shows it')
    .action(async (profile: string) => {
      const { io, output } = context
      if (profile === SANDBOX.name) {
        const hint = '`certify profiles list` shows the others.'
        throw new CliError('the profile "sandbox" is built in and cannot be removed.', hint)
      }
      await storeOf(io).change(({ config: { profile: inUse, ...config }, credentials }) => {
        profileOf({ profiles: config.profiles }, profile)
        const { [profile]: _removed, ...profiles } = config.profiles
        const { [profile]: _deleted, ...keys } = credentials.keys
        const stillInUse = inUse === undefined || inUse === profile ? {} : { profile: inUse }
        return { config: { ...config, ...stillInUse, profiles }, credentials: { ...credentials, keys } }
      })
      const columns = [{ title: 'PROFILE', value: (name: string) => name }]
      await output.data({ value: { profile }, columns, rows: [profile], ids: [profile], draw: () => '' })
      await output.remark(`Profile ${profile} and its key are removed.`)
    })
}
