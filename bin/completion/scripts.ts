/* A template would interpret the shell's own ${. */
const D = '$'

/** Scripts that make a shell complete words by `certify __complete`. Each can be sourced repeatedly. */
export const SCRIPTS = {
  bash: String.raw`# bash completion of certify; works in bash 3.2 and later, without further packages.
_certify() {
  local line current="${D}{COMP_WORDS[COMP_CWORD]}"
  [[ $current == [=@] ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      local prefix=
      [[ $current == @* ]] && prefix=@
      # What is on the line is quoted with backslashes; the name of the file is not.
      current="${D}{current#@}"
      local IFS=$'\n'
      COMPREPLY+=($(compgen -f -P "$prefix" -- "${D}{current//\\/}"))
      compopt -o filenames 2>/dev/null
    else
      # It goes onto the line as it is: nothing in it may be read by the shell.
      printf -v line %q "${D}{line%%$'\t'*}"
      COMPREPLY+=("${D}{line//\\,/,}")
    fi
  done < <(certify __complete -- "${D}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _certify certify
`,
  zsh: String.raw`#compdef certify
# zsh completion of certify
_certify() {
  local line value files=0
  local -a words_so_far candidates
  words_so_far=("${D}{(@Q)words[2,CURRENT]}")
  (( CURRENT > ${D}#words )) && words_so_far+=('')
  [[ $PREFIX == --*=* ]] && compset -P '--*='
  for line in "${D}{(@f)$(certify __complete -- "${D}{words_so_far[@]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      files=1
      continue
    fi
    [[ -z $line ]] && continue
    value=${D}{line%%$'\t'*}
    candidates+=("${D}{value//:/\\:}:${D}{line#*$'\t'}")
  done
  (( ${D}#candidates )) && _describe -V certify candidates
  if (( files )); then
    compset -P '@'
    _files
  fi
}
if [[ $funcstack[1] == _certify ]]; then
  _certify "$@"
else
  compdef _certify certify
fi
`,
  fish: `# fish completion of certify
function __certify_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (certify __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = :files
      set -l typed (commandline -ct)
      if string match -q '@*' -- $typed
        __fish_complete_path (string sub -s 2 -- $typed) | string replace -r '^' '@'
      else
        __fish_complete_path $typed
      end
    else if string match -qr '^--[^=]+=' -- (commandline -ct)
      echo (string replace -r '=.*' '=' -- (commandline -ct))$line
    else
      echo $line
    end
  end
end
complete -c certify -f -a '(__certify_complete)'
`,
  powershell: String.raw`# PowerShell completion of certify; works in Windows PowerShell 5.1 and later.
Register-ArgumentCompleter -Native -CommandName certify -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $current = "$wordToComplete"
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_.Value -is [string]) { $_.Value } else { $_.Extent.Text } })
  # Versions before 7.3 leave out an empty argument, unless it is written with quotes.
  $isOld = $PSVersionTable.PSVersion -lt [version]'7.3' -or "$PSNativeCommandArgumentPassing" -eq 'Legacy'
  $words += if ($current -eq '' -and $isOld) { '""' } else { $current }
  $prefix = if ($current -match '^--[^=]+=') { $Matches[0] } else { '' }
  certify __complete -- @words 2>$null | ForEach-Object {
    if ($_ -eq ':files') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($current)
    } else {
      $value, $meaning = $_ -split "${'`'}t", 2
      $text = $prefix + $value
      if ($text -match '[^\w./:=+-]') { $text = "'" + $text.Replace("'", "''") + "'" }
      if (-not $meaning) { $meaning = $value }
      [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $meaning)
    }
  }
}
`,
} as const
