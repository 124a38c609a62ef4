import type { Handler } from '../command.ts'

/** Each script asks `orla __complete` for candidates, so it never goes stale. */
const SCRIPTS: Readonly<Record<string, (program: string) => string>> = {
  bash: (program) => `_${program}_complete() {
  local line candidates
  candidates=()
  while IFS= read -r line; do candidates+=("$line"); done < <(
    ${program} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
  COMPREPLY=("\${candidates[@]}")
}
complete -o default -F _${program}_complete ${program}
`,
  zsh: (program) => `#compdef ${program}
_${program}() {
  local -a candidates
  candidates=("\${(@f)$(${program} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "\${candidates[1]}" ]] && compadd -- "\${candidates[@]}" || _files
}
compdef _${program} ${program}
`,
  fish: (program) => `function __${program}_complete
  set -l words (commandline -opc) (commandline -ct)
  ${program} __complete -- $words[2..-1] 2>/dev/null
end
complete -c ${program} -f -a '(__${program}_complete)'
`,
}

export const completionCommand: Handler = async (input, { printer, program }) => {
  printer.raw(SCRIPTS[input.positionals[0] ?? '']?.(program) ?? '')
  return 0
}
