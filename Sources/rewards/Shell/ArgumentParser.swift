import Failures
import StrictJSON

/// Parses a command line by what the commands declare.
///
/// Options may appear anywhere after the command's name, and common options before it too; `--` ends them. An option's value is the next
/// word, whatever it looks like, or what follows `=`.
struct ArgumentParser: Sendable {
  let commands: [any Command.Type]
  /// Former names, which no message proposes.
  var former = CommandList.former

  /// Returns what the words after the program's name ask for.
  func parse(_ words: [String]) throws(UsageError) -> Invocation {
    if words.isEmpty { throw UsageError(cause: "which command?", hint: Self.overviewHint) }
    var rest = words[...]
    var parsed = ParsedArguments()
    var name = ""
    while let word = rest.first {
      if word.hasPrefix("-"), word != "-" {
        if word == "-h" || word == "--help" { return .overview(group: name, parsed) }
        if word == "--version", name.isEmpty { return try parse(["version"]) }
        try consumeOption(&rest, of: CommandOption.common, into: &parsed, hint: Self.overviewHint)
        continue
      }
      rest.removeFirst()
      name = name.isEmpty ? word : "\(name) \(word)"
      if name == "help" { return try help(for: Array(rest), parsed) }
      if let command = (commands + CommandList.hidden).first(where: { $0.spec.name == name }) {
        return try parse(rest, of: command, parsed)
      }
      if let old = former.first(where: { $0.name == name }) {
        parsed.remark = old.remark
        let invocation = try parse(rest, of: old.command, parsed)
        if case .help(_, let given) = invocation { return .help(old.successor.spec, given) }
        return invocation
      }
      guard isGroup(name) else { throw unknown(name) }
    }
    if name.isEmpty { throw UsageError(cause: "which command?", hint: Self.overviewHint) }
    throw UsageError(
      cause: "\"\(name)\" needs one of: \(membersOf(name).joined(separator: ", "))",
      hint: "Try: rewards \(name) --help")
  }

  private func parse(
    _ words: ArraySlice<String>, of command: any Command.Type, _ common: ParsedArguments
  ) throws(UsageError) -> Invocation {
    let spec = command.spec
    let hint = "usage: \(spec.usage)"
    let options = spec.options + CommandOption.common
    var rest = words
    var parsed = common
    while let word = rest.first {
      if word == "--help" || word == "-h" { return .help(spec, parsed) }
      if word == "--" {
        parsed.arguments += rest.dropFirst()
        break
      }
      if word.hasPrefix("-"), word != "-" {
        try consumeOption(&rest, of: options, into: &parsed, hint: hint)
      } else {
        parsed.arguments.append(word)
        rest.removeFirst()
      }
    }
    try checkCount(parsed.arguments, spec, hint)
    if let missing = spec.options.first(where: { $0.isRequired && !parsed.has($0.name) }) {
      throw UsageError(cause: "--\(missing.name) is missing", hint: hint)
    }
    return .command(command, parsed)
  }

  private func consumeOption(
    _ rest: inout ArraySlice<String>, of options: [CommandOption],
    into parsed: inout ParsedArguments, hint: String
  ) throws(UsageError) {
    let word = rest.removeFirst()
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(parts[0])
    guard let option = options.first(where: { "--\($0.name)" == written }) else {
      let nearest = NearestName.hint(for: written, among: options.map { "--\($0.name)" })
      throw UsageError(cause: "unknown option \(written)\(nearest)", hint: hint)
    }
    if parsed.has(option.name), !option.repeats {
      throw UsageError(cause: "--\(option.name) is given twice", hint: hint)
    }
    let inline = parts.count > 1 ? String(parts[1]) : nil
    guard option.valueName != nil else {
      guard inline == nil else {
        throw UsageError(cause: "--\(option.name) takes no value", hint: hint)
      }
      return parsed.add(option.name, "")
    }
    if let inline { return parsed.add(option.name, inline) }
    // Whoever forgets a value would otherwise give the next option as one.
    guard let next = rest.first, !options.contains(where: { "--\($0.name)" == next }) else {
      throw UsageError(cause: "--\(option.name) needs a value: \(option.help)", hint: hint)
    }
    parsed.add(option.name, next)
    rest.removeFirst()
  }

  private func checkCount(
    _ arguments: [String], _ spec: CommandSpec, _ hint: String
  ) throws(UsageError) {
    if arguments.count > spec.arguments.count {
      let extra = arguments[spec.arguments.count]
      throw UsageError(cause: "\"\(extra)\" is one argument too many", hint: hint)
    }
    let required = spec.arguments.count { !$0.isOptional }
    if arguments.count < required {
      throw UsageError(cause: "\(spec.arguments[arguments.count].name) is missing", hint: hint)
    }
  }

  private func help(
    for words: [String], _ given: ParsedArguments
  ) throws(UsageError) -> Invocation {
    let name = words.filter { !$0.hasPrefix("-") }.joined(separator: " ")
    let command =
      commands.first { $0.spec.name == name } ?? former.first { $0.name == name }?.successor
    if let command { return .help(command.spec, given) }
    if name.isEmpty || isGroup(name) { return .overview(group: name, given) }
    if let page = ReferencePage(named: name) { return .topic(page) }
    throw unknown(name, besides: HelpText.topics.map(\.name))
  }

  private func isGroup(_ name: String) -> Bool { !membersOf(name).isEmpty }

  private func membersOf(_ group: String) -> [String] {
    commands.map { $0.spec.name }.filter { $0.hasPrefix("\(group) ") }
      .map { String($0.dropFirst(group.count + 1)) }
  }

  private func unknown(_ name: String, besides others: [String] = []) -> UsageError {
    let nearest = NearestName.hint(
      for: name, among: commands.map { $0.spec.name } + groups + others)
    return UsageError(cause: "unknown command \"\(name)\"\(nearest)", hint: Self.overviewHint)
  }

  private var groups: [String] {
    commands.compactMap { command in
      command.spec.name.split(separator: " ").dropLast().first.map { String($0) }
    }
  }

  private static let overviewHint = "Try: rewards --help"
}

/// The request that a command line makes.
enum Invocation: Sendable {
  /// Run a command.
  case command(any Command.Type, ParsedArguments)
  /// Explain a command, as the common options see it.
  case help(CommandSpec, ParsedArguments)
  /// Show a page of the reference.
  case topic(ReferencePage)
  /// List the commands whose names begin with these words; all when there are none.
  case overview(group: String, ParsedArguments)
}

/// An error in a command line, and what would be right.
struct UsageError: FailureConvertible, Equatable, Sendable {
  let cause: String
  /// A line that shows correct usage.
  let hint: String

  var failure: Failure { Failure(.usage, cause, remedy: hint) }
}
