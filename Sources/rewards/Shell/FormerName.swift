/// A command's former name. Lines with it go on working and say what to write instead; no list and no page shows it.
struct FormerName: Sendable {
  /// The words of the name.
  let name: String
  /// The command that has taken its place.
  let successor: any Command.Type
  /// What runs such lines: the successor where its output is the same.
  let command: any Command.Type
  /// The remark on what to write instead.
  let remark: String

  /// Creates the former name of `successor`, which is now written as `line`.
  init(
    _ name: String, of successor: any Command.Type, now line: String,
    runs command: (any Command.Type)? = nil
  ) {
    self.name = name
    self.successor = successor
    self.command = command ?? successor
    remark = Self.remark(on: name, now: line)
  }

  /// Returns the remark that lines with `name` are now written as `line`.
  static func remark(on name: String, now line: String) -> String {
    "rewards \(name) is now rewards \(line)"
  }
}

extension CommandSpec {
  /// Creates the declaration of a former command, which keeps its arguments and output; help shows its successor's.
  init(
    former name: String, usualDays: Int32? = nil, arguments: [Argument] = [],
    options: [CommandOption] = []
  ) {
    self.init(
      name, "", usualDays: usualDays, arguments: arguments, options: options, examples: [])
  }
}
