extension CompletionTable {
  /// Returns the options that take a value, as shells match them.
  private func valuedOptions(separator: String) -> String {
    valued.map { "--\($0.name)" }.joined(separator: separator)
  }

  /// Returns the words of every command and group, quoted.
  private func quotedPaths(separator: String) -> String {
    steps.dropFirst().map { "'\($0.path)'" }.joined(separator: separator)
  }

  /// Returns the lines of a `case "$path $previous"` that complete options with their values; `opening` precedes each pattern.
  private func valueCases(
    opening: String, reply: (ShellCompletion.Value) -> String
  ) -> String {
    steps.flatMap { step in
      step.options.filter { $0.valueName != nil }.map { option in
        "    \(opening)'\(step.path) --\(option.name)') \(reply(.init(option))); return ;;\n"
      }
    }.joined()
  }

  /// The script for bash, whose words are in `COMP_WORDS`.
  var bash: String {
    """
    # Completion of rewards for bash: source <(rewards completion bash)
    # The program itself knows jobs, sinks, users and zones.
    _rewards_known() {
      _rewards_lines "${COMP_WORDS[0]/#\\~\\//$HOME/}" complete-values "$1" "$current" "${given[@]}"
    }
    # Offers the lines that a command prints, each quoted as one word; a ~ for a home stays.
    _rewards_lines() {
      local line
      while IFS= read -r line; do
        printf -v line %q "$line"
        COMPREPLY+=("${line/#\\\\~/\\~}")
      done < <("$@" 2>/dev/null)
    }
    _rewards() {
      local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
      local path="" count=0 word i given=()
      COMPREPLY=()
      # bash divides --config=FILE into three words.
      if [ "$current" = = ]; then current=""; elif [ "$previous" = = ]; then previous="${COMP_WORDS[COMP_CWORD-2]}"; fi
      for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        case "$word" in
          \(valuedOptions(separator: "|")))
            ((i++))
            if [ "${COMP_WORDS[i]}" = = ]; then ((i++)); fi
            case "$word" in --config|--data) given+=("$word" "${COMP_WORDS[i]}") ;; esac ;;
          -*) ;;
          *)
            case "${path:+$path }$word" in
              \(quotedPaths(separator: "|"))) path="${path:+$path }$word" ;;
              *) ((count++)) ;;
            esac ;;
        esac
      done
      case "$path $previous" in
    \(valueCases(opening: "", reply: bash))    esac
      case "$path" in
    \(steps.map(bashStep).joined())  esac
    }
    complete -F _rewards rewards

    """
  }

  private func bashStep(_ step: Step) -> String {
    let options = step.options.map { "--\($0.name)" }.joined(separator: " ")
    let words = step.words.map(\.word).joined(separator: " ")
    var lines = "    '\(step.path)')\n      case \"$current\" in\n"
    lines += "        -*) COMPREPLY=($(compgen -W \"\(options)\" -- \"$current\")) ;;\n"
    if !words.isEmpty {
      lines += "        *) COMPREPLY=($(compgen -W \"\(words)\" -- \"$current\")) ;;\n"
    } else {
      lines += "        *) case $count in\n"
      for (index, value) in step.arguments.enumerated() {
        lines += "          \(index)) \(bash(value)) ;;\n"
      }
      lines += "          *) ;;\n        esac ;;\n"
    }
    return lines + "      esac ;;\n"
  }

  private func bash(_ value: ShellCompletion.Value) -> String {
    switch value {
    case .file: "_rewards_lines compgen -f -- \"$current\""
    case .folder: "_rewards_lines compgen -d -- \"$current\""
    case .words(let words):
      "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"))"
    case .known(.job): "_rewards_known job; _rewards_lines compgen -f -- \"$current\""
    case .known(let kind): "_rewards_known \(kind.rawValue)"
    case .free: ":"
    }
  }

  /// The script for zsh, whose words are in `words`. There a variable `path` would be where programs are looked for.
  var zsh: String {
    """
    #compdef rewards
    # Completion of rewards for zsh: save it as _rewards in a folder of $fpath.
    # The program itself knows jobs, sinks, users and zones.
    _rewards_known() {
      compadd -- ${(f)"$(${~words[1]} complete-values "$1" "$PREFIX" $given 2>/dev/null)"}
    }
    _rewards() {
      local previous="${words[CURRENT-1]}" place="" word
      local -i i count=0
      local -a choices given
      for ((i = 2; i < CURRENT; i++)); do
        word="${words[i]}"
        case "$word" in
          (--config|--data) ((i++)); given+=("$word" "${words[i]}") ;;
          (\(valuedOptions(separator: "|"))) ((i++)) ;;
          (-*) ;;
          (*)
            case "${place:+$place }$word" in
              (\(quotedPaths(separator: "|"))) place="${place:+$place }$word" ;;
              (*) ((count++)) ;;
            esac ;;
        esac
      done
      case "$place $previous" in
    \(valueCases(opening: "(", reply: zsh))    esac
      case "$place" in
    \(steps.map(zshStep).joined())  esac
    }
    if [ "$funcstack[1]" = "_rewards" ]; then _rewards "$@"; else compdef _rewards rewards; fi

    """
  }

  private func zshStep(_ step: Step) -> String {
    let options = step.options.map { Self.entry("--\($0.name)", $0.help) }.joined(separator: " ")
    let words = step.words.map { Self.entry($0.word, $0.does) }.joined(separator: " ")
    var lines = "    ('\(step.path)')\n      if [[ \"${words[CURRENT]}\" == -* ]]; then\n"
    lines += "        choices=(\(options)); _describe option choices\n"
    if !words.isEmpty {
      lines += "      else\n        choices=(\(words)); _describe command choices\n"
    } else if !step.arguments.isEmpty {
      lines += "      else\n        case $count in\n"
      for (index, value) in step.arguments.enumerated() {
        lines += "          (\(index)) \(zsh(value)) ;;\n"
      }
      lines += "        esac\n"
    }
    return lines + "      fi ;;\n"
  }

  private func zsh(_ value: ShellCompletion.Value) -> String {
    switch value {
    case .file: "_files"
    case .folder: "_files -/"
    case .words(let words): "compadd -- \(words.joined(separator: " "))"
    case .known(.job): "_rewards_known job; _files"
    case .known(let kind): "_rewards_known \(kind.rawValue)"
    case .free: ":"
    }
  }

  /// Returns a word and its description, quoted for zsh's `_describe`.
  private static func entry(_ word: String, _ does: String) -> String {
    "'\(word):\(does.replacing("'", with: "'\\''").replacing(":", with: "\\:"))'"
  }

  /// The script for fish, which calls a function to find where on the line it is.
  var fish: String {
    """
    # Completion of rewards for fish: save it as ~/.config/fish/completions/rewards.fish
    function __rewards_at --argument-names wanted position
      set --local paths \(quotedPaths(separator: " "))
      set --local path ''
      set --local count 0
      set --local passes 0
      for word in (commandline --tokenize --current-process --cut-at-cursor)[2..-1]
        if test $passes -eq 1
          set passes 0
        else if contains -- $word \(valuedOptions(separator: " "))
          set passes 1
        else if not string match --quiet -- '-*' $word
          set --local longer (string trim "$path $word")
          if contains -- $longer $paths
            set path $longer
          else
            set count (math $count + 1)
          end
        end
      end
      test "$path" = "$wanted"; and begin; test -z "$position"; or test $count -eq "$position"; end
    end
    # The program itself knows jobs, sinks, users and zones.
    function __rewards_known --argument-names kind
      set --local words (commandline --tokenize --current-process --cut-at-cursor)
      set --local given
      set --local keeps 0
      for word in $words[2..-1]
        if test $keeps -eq 1; or contains -- $word --config --data
          set --append given $word
          set keeps (math 1 - $keeps)
        end
      end
      set words[1] (string replace --regex '^~/' ~/ -- $words[1])
      $words[1] complete-values $kind (commandline --current-token | string collect) $given 2>/dev/null
    end
    complete --command rewards --no-files
    \(steps.map(fishStep).joined())
    """
  }

  private func fishStep(_ step: Step) -> String {
    func quoted(_ text: String) -> String {
      "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
    let at = "complete --command rewards --condition \"__rewards_at '\(step.path)'\""
    var lines = step.words.map { word, does in
      "\(at) --arguments \(word) --description \(quoted(does))\n"
    }.joined()
    for (index, value) in step.arguments.enumerated() {
      let there = "complete --command rewards --condition \"__rewards_at '\(step.path)' \(index)\""
      let what = fish(value)
      if !what.isEmpty { lines += "\(there) \(what)\n" }
    }
    for option in step.options {
      let value = option.valueName == nil ? "" : " \(fishValue(.init(option)))"
      lines += "\(at) --long-option \(option.name)\(value) --description \(quoted(option.help))\n"
    }
    return lines
  }

  private func fishValue(_ value: ShellCompletion.Value) -> String {
    value == .file ? "--require-parameter --force-files" : "--exclusive \(fish(value))"
  }

  private func fish(_ value: ShellCompletion.Value) -> String {
    switch value {
    case .file: "--force-files"
    case .folder: "--arguments \"(__fish_complete_directories)\""
    case .words(let words): "--arguments \"\(words.joined(separator: " "))\""
    case .known(.job): "--force-files --arguments \"(__rewards_known job)\""
    case .known(let kind): "--arguments \"(__rewards_known \(kind.rawValue))\""
    case .free: ""
    }
  }
}
