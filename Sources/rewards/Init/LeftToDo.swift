import Described
import LedgerDatabase
import StrictJSON

/// What a person has to do after `init`, in this order, each step with its commands.
struct LeftToDo {
  /// A step: what to do, and the command lines that do it, ready to type.
  struct Step: Equatable {
    let what: String
    let commands: [String]
  }

  let steps: [Step]

  /// What an earlier call and its reader have done.
  struct Done {
    /// Whether there is a credential for the API.
    let hasCredential: Bool
    /// Whether the roster has a line.
    let hasUsers: Bool
  }

  /// Creates the steps to a running service, without those in `done`. `program` is the program as a command line names it; `strange`
  /// are the paths that belong to another account than the service's, which `caller` cannot give away.
  init(_ files: InitFiles, done: Done, program: String, caller: String, strange: [String]) {
    let folder = Quoted.word(files.folder)
    let isRoot = caller == "root"
    let sudo = isRoot ? "" : "sudo "
    let isOwn = files.account == caller
    // Only the service's account may read the secrets. A subshell keeps them out of this shell.
    func asService(_ words: String) -> String {
      let line =
        "set -a; . \(folder)/secrets.env; \(Quoted.word(program)) \(words) --config \(folder)/rewards.json"
      return isOwn
        ? "(\(line))"
        : "\(isRoot ? "runuser -u \(files.account) --" : "sudo -u \(files.account)") sh -c \(Quoted.always(line))"
    }
    let edit = isOwn || isRoot ? "${EDITOR:-vi}" : "sudo ${EDITOR:-vi}"
    var steps: [Step] = []
    if !strange.isEmpty {
      var commands = [
        "\(sudo)chown -h \(files.account): \(strange.map { Quoted.word($0) }.joined(separator: " "))"
      ]
      if !DatabaseAddress.isMeant(by: files.data) {
        commands.append(
          "\(sudo)install -d -m 750 -o \(files.account) -g \"$(id -gn \(files.account))\" \(Quoted.word(files.data))"
        )
      }
      steps.append(
        Step(
          what: "Give the files to \(files.account), which the service runs as.", commands: commands
        ))
    }
    if !done.hasCredential {
      steps.append(
        Step(
          what:
            "Put the API token behind CHEER_API_TOKEN=, in an editor: the shell's history keeps every command line. If each user has credentials of their own, write them into credentials.jsonl instead, which says how.",
          commands: ["\(edit) \(folder)/secrets.env"]))
    }
    if !done.hasUsers {
      steps.append(
        Step(
          what: "List the users, one a line.",
          commands: [
            #"echo '{"user": "4711", "timezone": "Asia/Tokyo"}' \#(isOwn || isRoot ? ">>" : "| sudo tee -a") \#(folder)/users.jsonl"#
          ]))
    }
    if !isOwn { steps.append(Self.operators(files, sudo: sudo)) }
    steps += [
      Step(
        what:
          "Keep a copy of the secrets elsewhere: a ledger accepts only the draw secret that it was begun with.",
        commands: ["\(isOwn ? "" : sudo)cp -p \(folder)/secrets.env /media/safe/"]),
      Step(
        what: "Check all of it.", commands: [asService("doctor")]),
      Step(
        what:
          "Start the service: with systemd by the first two commands, or in this shell by the last.",
        commands: [
          "\(sudo)install -m 644 \(folder)/rewards.service /etc/systemd/system/",
          "\(sudo)systemctl daemon-reload && \(sudo)systemctl enable --now rewards",
          asService("serve --log-level info"),
        ]),
    ]
    self.steps = steps
  }

  /// Returns how several people can command the service.
  private static func operators(_ files: InitFiles, sudo: String) -> Step {
    let group = InitFiles.operators
    let data = Quoted.word(files.data)
    let isInDatabase = DatabaseAddress.isMeant(by: files.data)
    let members = isInDatabase ? [files.account, "ann"] : ["ann"]
    // The secrets stay with the account. New files get the group of their folder.
    let shares =
      isInDatabase
      ? []
      : [
        "\(sudo)chgrp -R \(group) \(data) && \(sudo)find \(data) -type d -exec chmod g+s {} +"
      ]
    return Step(
      what:
        "If several people operate the service, let them command it as themselves, here ann. Then name the group in rewards.json: \"control\": {\"group\": \"\(group)\"}.",
      commands: ["\(sudo)groupadd --system --force \(group)"]
        + members.map { "\(sudo)usermod --append --groups \(group) \($0)" } + shares)
  }

  /// Creates the steps for a place to try things in.
  init(trying files: TryFiles, program: String) {
    let folder = Quoted.word(files.folder)
    let program = Quoted.word(program)
    steps = [
      Step(
        what:
          "Start the simulated API, in a terminal of its own. It answers from world.jsonl and prints the events it receives.",
        commands: ["cd \(folder) && \(program) try-api world.jsonl"]),
      Step(
        what: "Start the service, in another one.",
        commands: ["cd \(folder) && \(program) serve --log-level info"]),
      Step(
        what: "Let a user send a gift now. Within a minute the service has polled it.",
        commands: [
          #"cd \#(folder) && echo '{"user": "ben", "kind": "gift", "at": "'$(date -u +%FT%TZ)'"}' >> world.jsonl"#
        ]),
      Step(
        what: "Read the tutorial: a night, an outage and its repair, an audit.",
        commands: ["\(program) help tutorial"]),
    ]
  }

  /// The steps as a numbered list.
  var text: String {
    "left to do:\n"
      + steps.enumerated().map { index, step in
        // A command stays whole, to be pasted.
        "  \(index + 1). " + MarkdownText.wrapped(step.what, indent: "     ").dropFirst(5)
          + step.commands.map { "       \($0)\n" }.joined()
      }.joined()
  }
}
