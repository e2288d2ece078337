import Failures

/// The page of all commands, made from what they declare.
enum CommandsPage {
  /// The page for man(1): the same, with a man page's beginning and end.
  static var manual: Markdown {
    Markdown(
      """
      # rewards

      the reward scheduler: decides for each of the users' own days what was done, and grants points and exp

      ## Synopsis

          rewards COMMAND [OPTION…]
          rewards help COMMAND|TOPIC

      ## Description

      For every user it watches what the app's API tells, decides for each of the user's own calendar days what was done, and
      grants points and exp by the rules. It writes everything into a ledger that anyone can check.
      `rewards help TOPIC` shows the reference: \(ReferencePage.allCases.map(\.name).joined(separator: ", ")).

      \(text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(6).joined(separator: "\n"))

      ## Files

      `./rewards.json` is the configuration where neither `--config` nor `$REWARDS_CONFIG` names another.

      ## Exit status

      \(ExitCode.table)
      """)
  }

  /// The page in Markdown.
  static var text: String {
    var text = """
      # Commands

      Every command of `rewards` with its arguments, options and examples.

      This page is made of what the program declares, as `rewards help COMMAND`, the man page (`rewards man`) and the completion of
      shells (`rewards completion`) are.

      ## Common options

      Every command takes these.


      """
    text += table("option", CommandOption.common.map { (code($0.synopsis), help(of: $0)) })
    for command in CommandList.all { text += section(command.spec) }
    return text
  }

  private static func section(_ spec: CommandSpec) -> String {
    let remark = spec.isForDatabases ? " (\(CommandOption.databaseRemark))" : ""
    var text = "\n## \(spec.name)\n\n\(sentence(spec.summary + remark))\n\n    \(spec.usage)\n"
    if !spec.details.isEmpty { text += "\n\(spec.details)\n" }
    if !spec.arguments.isEmpty {
      text += "\n" + table("argument", spec.arguments.map { (code($0.name), $0.help) })
    }
    if !spec.options.isEmpty {
      text += "\n" + table("option", spec.options.map { (code($0.synopsis), help(of: $0)) })
    }
    text += "\n"
    for example in spec.examples { text += "    \(example.line)\n        \(example.does)\n" }
    return text
  }

  private static func help(of option: CommandOption) -> String {
    let words =
      option.choices.isEmpty || option.help.contains(option.choices[0])
      ? option.help : "\(option.help): \(option.choices.joined(separator: ", "))"
    return words + (option.isRequired ? "; required" : "")
      + (option.repeats ? "; may be repeated" : "")
      + (option.isForDatabases ? "; \(CommandOption.databaseRemark)" : "")
  }

  private static func table(_ name: String, _ rows: [(String, String)]) -> String {
    rows.reduce("| \(name) | meaning |\n|---|---|\n") {
      "\($0)| \($1.0) | \($1.1.replacing("|", with: "\\|")) |\n"
    }
  }

  private static func code(_ text: String) -> String {
    "`\(text.replacing("|", with: "\\|"))`"
  }

  private static func sentence(_ text: String) -> String {
    "\(text.prefix(1).uppercased())\(text.dropFirst())."
  }
}

extension ExitCode {
  /// All commands, as a table of the reference.
  static var table: String {
    allCases.reduce("| code | meaning |\n|---|---|\n") {
      "\($0)| \($1.rawValue) | \($1.meaning) |\n"
    }
  }
}
