# Completion of `matcha` for bash: verbs, the options that `--help-all` lists, files.
# shellcheck shell=bash

_matcha() {
  local word=${COMP_WORDS[COMP_CWORD]} verbs=() at help
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case "${verbs[*]} ${COMP_WORDS[at]}" in
      " run" | " check" | " build" | " pattern" | " explain" | " doctor" | " graph" | \
        "graph convert" | "graph info" | "graph generate" | "graph generate "[a-z]*) verbs+=("${COMP_WORDS[at]}") ;;
    esac
  done
  help=$("${COMP_WORDS[0]}" "${verbs[@]}" --help-all 2> /dev/null) || return
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -- '--[a-z][a-z-]*' <<< "$help" | sort -u)" -- "$word")
  elif [[ $help == *Subcommands:* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' <<< "$help")" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _matcha matcha
