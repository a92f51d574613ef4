import { Argument } from 'commander'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'

/** Scripts that make a shell complete words by `certify __complete`. Each can be sourced repeatedly. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: String.raw`_certify() {
  local line at= file="\${2//\\/}" IFS=$'\n'
  [[ $file == @* ]] && at=@
  COMPREPLY=()
  for line in $(certify __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    [[ $line == :files ]] && { COMPREPLY=($(compgen -f -P "$at" -- "\${file#@}")); compopt -o filenames 2>/dev/null; return; }
    COMPREPLY+=("\${line%%$'\t'*}")
  done
}
complete -F _certify certify
`.replaceAll('\\$', '$'),
  zsh: String.raw`#compdef certify
_certify() {
  local line; local -a found
  for line in "\${(@f)$(certify __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ $line == :files ]] && { compset -P @; _files; return }
    [[ -n $line ]] && found+=("\${\${line%%$'\t'*}//:/\\:}:\${line#*$'\t'}")
  done
  (( \${#found} )) && _describe -V certify found
}
if [[ $funcstack[1] == _certify ]]; then _certify "$@"; else compdef _certify certify; fi
`.replaceAll('\\$', '$'),
  fish: `function __certify_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (certify __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = :files
      set -l at (string match -r '^@' -- (commandline -ct))
      __fish_complete_path (string replace -r '^@' '' -- (commandline -ct)) | string replace -r '^' "$at"
    else
      echo $line
    end
  end
end
complete -c certify -f -a '(__certify_complete)'
`,
}

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about: 'Completes commands, options, their choices, and files.',
    output: 'the script.',
    examples: ['source <(certify completion bash)', 'certify completion fish | source'],
    guide: 'getting-started.md',
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action(async (shell: string) => {
      await context.output.text(SCRIPTS[shell] ?? '')
    })
}
