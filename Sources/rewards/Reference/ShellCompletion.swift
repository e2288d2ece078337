/// Writes command line completion for shells, made from what the commands declare.
enum ShellCompletion: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The script that the shell reads.
  var script: String {
    switch self {
    case .bash: CompletionTable().bash
    case .zsh: CompletionTable().zsh
    case .fish: CompletionTable().fish
    }
  }

  /// The kind of a value.
  enum Value: Equatable {
    case file, folder
    case words([String])
    /// What the program knows; it is run to find out.
    case known(CompleteValuesCommand.Kind)
    /// Free text, which no shell can complete.
    case free

    init(_ option: CommandOption) {
      self = option.choices.isEmpty ? Value(named: option.valueName ?? "") : .words(option.choices)
    }

    /// Finds the kind by the name of a value or an argument.
    init(named name: String) {
      switch name {
      case "FILE": self = .file
      case "DIR": self = .folder
      case "DAY", "DAY|yesterday": self = .words(["today", "yesterday"])
      case "TOPIC": self = .words(HelpText.topics.map(\.name))
      case "SHELL": self = .words(ShellCompletion.allCases.map(\.rawValue))
      case "NAME of a schema": self = .words(SchemaCatalogue.entries.map(\.name))
      default: self = CompleteValuesCommand.Kind(named: name).map { .known($0) } ?? .free
      }
    }
  }
}

/// What may follow each word of a command line, for all shells alike.
struct CompletionTable {
  /// The words that may come next, with their descriptions.
  struct Step {
    /// The words of the command so far; empty at the beginning.
    let path: String
    let words: [(word: String, does: String)]
    /// The options from here on.
    let options: [CommandOption]
    /// The arguments, in order; empty for a group.
    let arguments: [ShellCompletion.Value]
  }

  let steps: [Step]

  init() {
    let specs = CommandList.all.map { $0.spec }
    var steps = [
      Step(
        path: "",
        words: Self.next(after: "", specs) + [("help", "explain a command or a topic")],
        options: CommandOption.common, arguments: []),
      Step(
        path: "help",
        words: Self.next(after: "", specs) + HelpText.topics.map { ($0.name, $0.summary) },
        options: [], arguments: []),
    ]
    for (group, _) in Self.next(after: "", specs) where !specs.contains(where: { $0.name == group })
    {
      steps.append(
        Step(
          path: group, words: Self.next(after: group, specs), options: CommandOption.common,
          arguments: []))
    }
    for spec in specs {
      steps.append(
        Step(
          path: spec.name, words: [], options: spec.options + CommandOption.common,
          arguments: spec.arguments.map { .init(named: $0.values) }))
    }
    self.steps = steps
  }

  /// Returns the first words of the commands that begin with `path`, each once.
  private static func next(
    after path: String, _ specs: [CommandSpec]
  ) -> [(word: String, does: String)] {
    var found: [(word: String, does: String)] = []
    for spec in specs where path.isEmpty || spec.name.hasPrefix("\(path) ") {
      let rest = spec.name.dropFirst(path.isEmpty ? 0 : path.count + 1)
      let word = String(rest.prefix { $0 != " " })
      if found.contains(where: { $0.word == word }) { continue }
      found.append((word, word.count == rest.count ? spec.summary : "more commands"))
    }
    return found
  }

  /// All options that take a value, each once: their values are not words of a command.
  var valued: [CommandOption] {
    var found: [CommandOption] = []
    for option in steps.flatMap(\.options) where option.valueName != nil {
      if !found.contains(where: { $0.name == option.name }) { found.append(option) }
    }
    return found.sorted { $0.name < $1.name }
  }
}
