import { profileOf, storeOf } from '../config/connection.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: ['--profile and CERTIFY_PROFILE still override it.'],
    output: 'the name of the profile.',
    json: '{"profile"}.',
    ids: 'the same',
    refusesJq: true,
    hasNoDryRun: true,
    examples: ['certify profiles use staging', 'certify profiles use sandbox'],
  })
    .argument('<profile>', 'its name, as `certify profiles list` shows it')
    .action(async (profile: string) => {
      const { io, output } = context
      await storeOf(io).change(({ config, credentials }) => {
        profileOf(config, profile)
        return { config: { ...config, profile }, credentials }
      })
      const columns = [{ title: 'PROFILE', value: (name: string) => name }]
      await output.data({ value: { profile }, columns, rows: [profile], ids: [profile], draw: () => '' })
      await output.remark(`Profile ${profile} is in use from now on.`)
    })
}
