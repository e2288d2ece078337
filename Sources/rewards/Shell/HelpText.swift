/// Writes the help of commands.
enum HelpText {
  /// Returns the help of one command; with what only a database gives a meaning where `inDatabase` says so.
  static func text(of spec: CommandSpec, inDatabase: Bool) -> String {
    var text = "rewards \(spec.name): \(spec.summary)\n\n"
    text += "usage: \(spec.usage)\n"
    if !spec.details.isEmpty { text += "\n\(spec.details)\n" }
    text += section("Arguments", spec.arguments.map { ($0.name, $0.help) })
    text += section("Options", spec.options.map { ($0.synopsis, help(of: $0)) })
    text += commonOptions(inDatabase)
    text += "\nExamples:\n"
    for example in spec.examples { text += "  \(example.line)\n      \(example.does)\n" }
    return text
  }

  /// Returns the commands whose names begin with `group`, or all of them, one line each; then the page of that name. Leaves out those for
  /// databases unless `inDatabase` says that there is one, or the group has no others.
  static func overview(
    of commands: [any Command.Type], group: String, inDatabase: Bool
  ) -> String {
    let all = commands.map { $0.spec }.filter { group.isEmpty || $0.name.hasPrefix("\(group) ") }
    let some = all.filter { inDatabase || !$0.isForDatabases }
    let specs = some.isEmpty ? all : some
    var text = "usage: rewards \(group.isEmpty ? "COMMAND" : group + " …") [OPTION…]\n"
    text += section("Commands", specs.map { ($0.name, $0.summary) })
    text += commonOptions(inDatabase)
    if group.isEmpty { text += section("Topics", topics.map { ($0.name, $0.summary) }) }
    text += """

      "rewards help COMMAND" explains a command and shows examples, "rewards help TOPIC" is the reference.
      Exit codes: 0 done; 1 done, and something needs attention; 64 and above as in sysexits(3).

      """
    if let page = ReferencePage.allCases.first(where: { $0.name == group }) {
      text += "\n" + MarkdownText.text(of: page.page)
    }
    return text
  }

  /// The topics besides commands, each with a one-line summary.
  static var topics: [(name: String, summary: String)] {
    ReferencePage.allCases.map { ($0.name, MarkdownText.plain($0.page.summary)) }
  }

  private static func commonOptions(_ inDatabase: Bool) -> String {
    let options = CommandOption.common.filter { inDatabase || !$0.isForDatabases }
    return section("Common options", options.map { ($0.synopsis, $0.help) })
  }

  private static func help(of option: CommandOption) -> String {
    option.repeats ? "\(option.help); may be repeated" : option.help
  }

  private static func section(_ title: String, _ rows: [(String, String)]) -> String {
    if rows.isEmpty { return "" }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.reduce("\n\(title):\n") { text, row in
      let padding = String(repeating: " ", count: width - row.0.count)
      return "\(text)  \(row.0)\(padding)  \(row.1)\n"
    }
  }
}
