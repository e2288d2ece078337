import Failures

/// The page of all commands, made from what they declare.
enum CommandsPage {
  /// The page for man(1): the same, with a man page's beginning and end.
  static var manual: Markdown {
    Markdown(
      """
      # rewards

      the reward scheduler: works out what users did on each local day, and grants points and exp

      ## Synopsis

          rewards COMMAND [OPTION…]
          rewards help COMMAND|TOPIC

      ## Description

      It polls the app's API for every user, works out what they did on each of their local days, and grants points and exp
      according to the rules. It records everything in a ledger that anyone can check.
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

      Every command of `rewards`, by task and by group, with its arguments, options and examples.

      The program generates this page, `rewards help COMMAND`, the man page (`rewards man`) and shell completion (`rewards completion`)
      from the same declarations.

      ## Common options

      Every command accepts these.


      """
    text += table(
      "option", "meaning", CommandOption.common.map { (code($0.synopsis), help(of: $0)) })
    text += "\n## Days and ranges\n\n\(days)\n\n## By task\n"
    for group in CommandGroup.all {
      text += "\n### \(group.title)\n\n" + table("to", "run", group.tasks.map { ($0.to, $0.use) })
    }
    for group in CommandGroup.all {
      text += "\n## \(group.title)\n"
      for command in group.commands { text += section(command.spec) }
    }
    return text
  }

  /// What every command accepts as a day.
  private static let days = """
    A `DAY` is a date, such as `2026-11-20`, or `today` or `yesterday`. Ranges of days include both ends; `--month 2026-10` and `--last-week`
    stand for `--from` and `--to`, and `--from` and `--to` also accept `last-week`: its Monday or its Sunday. Where `--from` and `--to` are
    instants, the range is [from, to), and a day stands for its start in `--from` and its end in `--to`.

    `today` is a day of the users whom the command is about, of the zones that it names (`--user` and `--zone` count), or else of
    `defaultTimeZone`, at the instant of `--now` or the present. Where those days differ, the command refuses the word. It works the dates
    out once: a service gets dates. In a job, the words go by the instant at which the job was due and by the zone of that run, however
    late it runs.
    """

  private static func section(_ spec: CommandSpec) -> String {
    let remark = spec.isForDatabases ? " (\(CommandOption.databaseRemark))" : ""
    var text = "\n### \(spec.name)\n\n\(sentence(spec.summary + remark))\n\n    \(spec.usage)\n"
    text += "\n"
    for example in spec.examples { text += "    \(example.line)\n        \(example.does)\n" }
    if !spec.arguments.isEmpty {
      text += "\n" + table("argument", "meaning", spec.arguments.map { (code($0.name), $0.help) })
    }
    if !spec.options.isEmpty {
      let rows = spec.options.map { (code($0.synopsis), help(of: $0)) }
      text += "\n" + table("option", "meaning", rows)
    }
    if !spec.details.isEmpty { text += "\n\(spec.details)\n" }
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

  private static func table(
    _ name: String, _ meaning: String, _ rows: [(String, String)]
  ) -> String {
    rows.reduce("| \(name) | \(meaning) |\n|---|---|\n") {
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
