import { SCRIPTS } from '../completion/scripts.ts'
import { oneOf } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'Completes commands, flags, their values, files, profiles, and the slugs and ids that `certify tracks list` listed ' +
        'in the last twelve hours. It needs no network.',
      'bash: add to ~/.bashrc the line: source <(certify completion bash)',
      'zsh: add to ~/.zshrc, after compinit, the line: source <(certify completion zsh)',
      'fish: certify completion fish > ~/.config/fish/completions/certify.fish',
      'PowerShell: add to $PROFILE the line: certify completion powershell | Out-String | Invoke-Expression',
    ],
    output: 'the script.',
    examples: ['source <(certify completion bash)', 'certify completion fish | source'],
  })
    .argument('<shell>', Object.keys(SCRIPTS).join(', '))
    .action(async (shell: string) => {
      const names = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[]
      await context.output.text(SCRIPTS[oneOf('the shell', shell, names)])
    })
}
