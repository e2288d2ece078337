/// Writes the help of commands, in lines of limited width except for command lines.
struct HelpText {
  /// The width from which on a name gets a line of its own.
  private static let widestName = 28

  /// The width at which lines break.
  var width = MarkdownText.width

  /// Returns the help of one command, with the options that matter only in a database if `inDatabase`.
  func text(of spec: CommandSpec, inDatabase: Bool) -> String {
    var text = "usage: \(spec.usage)\n"
    text += "\n" + wrapped("\(spec.summary.prefix(1).uppercased())\(spec.summary.dropFirst()).")
    text += "\nExamples:\n"
    for example in spec.examples {
      text += "  \(example.line)\n" + wrapped(example.does, "      ")
    }
    text += section("Arguments", spec.arguments.map { ($0.name, $0.help) })
    text += section("Options", spec.options.map { ($0.synopsis, help(of: $0)) })
    if !spec.details.isEmpty {
      for block in Markdown(spec.details).blocks {
        if case .paragraph(let words) = block { text += "\n" + wrapped(words) }
      }
    }
    return text + commonOptions(inDatabase)
  }

  /// Returns the commands in their groups, or those whose names begin with `group` and then the page of that name. Leaves out those for
  /// databases unless `inDatabase` says that there is one, or the group has no others.
  func overview(group: String, inDatabase: Bool) -> String {
    var text = "usage: rewards \(group.isEmpty ? "COMMAND" : group + " …") [OPTION…]\n"
    text += group.isEmpty ? allGroups(inDatabase) : members(of: group, inDatabase)
    text += commonOptions(inDatabase)
    if group.isEmpty { text += section("Topics", Self.topics.map { ($0.name, $0.summary) }) }
    text += "\n"
    text += wrapped(
      #""rewards help COMMAND" explains a command and shows examples, "rewards help TOPIC" is the reference."#
    )
    text += wrapped(
      "Exit codes: 0 done; 1 done, but something needs attention; 64 and above as in sysexits(3).")
    if let page = ReferencePage.allCases.first(where: { $0.name == group }) {
      text += "\n" + MarkdownText.text(of: page.page, width: width)
    }
    return text
  }

  /// The topics besides commands, each with a one-line summary.
  static var topics: [(name: String, summary: String)] {
    ReferencePage.allCases.map { ($0.name, MarkdownText.plain($0.page.summary)) }
  }

  private func allGroups(_ inDatabase: Bool) -> String {
    let name = CommandList.all.map { $0.spec.name.count }.max() ?? 0
    return CommandGroup.all.map { group in
      let specs = group.commands.map { $0.spec }.filter { inDatabase || !$0.isForDatabases }
      return section(group.title, specs.map { ($0.name, $0.summary) }, name: name)
    }.joined()
  }

  private func members(of group: String, _ inDatabase: Bool) -> String {
    let all = CommandList.all.map { $0.spec }.filter { $0.name.hasPrefix("\(group) ") }
    let some = all.filter { inDatabase || !$0.isForDatabases }
    return section("Commands", (some.isEmpty ? all : some).map { ($0.name, $0.summary) })
  }

  private func commonOptions(_ inDatabase: Bool) -> String {
    let options = CommandOption.common.filter { inDatabase || !$0.isForDatabases }
    return section("Common options", options.map { ($0.synopsis, $0.help) })
  }

  private func help(of option: CommandOption) -> String {
    option.repeats ? "\(option.help); may be repeated" : option.help
  }

  private func wrapped(_ words: String, _ indent: String = "") -> String {
    MarkdownText.wrapped(words, indent: indent, width: width)
  }

  private func section(
    _ title: String, _ rows: [(String, String)], name: Int? = nil
  ) -> String {
    if rows.isEmpty { return "" }
    let name = name ?? min(rows.map(\.0.count).max() ?? 0, Self.widestName)
    let indent = String(repeating: " ", count: name + 4)
    return rows.reduce("\n\(title):\n") { text, row in
      let lines = wrapped(row.1, indent)
      let isLong = row.0.count > name
      let padding = String(repeating: " ", count: max(0, name - row.0.count) + 2)
      return "\(text)  \(row.0)" + (isLong ? "\n\(lines)" : padding + lines.dropFirst(name + 4))
    }
  }
}
