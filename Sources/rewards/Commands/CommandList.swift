/// Every command, in the order shown in help.
enum CommandList {
  static let all: [any Command.Type] = CommandGroup.all.flatMap(\.commands)

  /// Commands that only other programs run; no list and no page shows them.
  static let hidden: [any Command.Type] = [CompleteValuesCommand.self]

  /// Former names, which go on working.
  static let former: [FormerName] = [
    FormerName(
      "users find", of: UsersListCommand.self, now: "users list TEXT", runs: UsersFindCommand.self),
    FormerName("users show", of: UserCommand.self, now: "user ID", runs: UsersShowCommand.self),
    FormerName(
      "timeline", of: UserCommand.self, now: "user ID --from DAY --to DAY",
      runs: TimelineCommand.self),
    FormerName("blast", of: ReverseCommand.self, now: "reverse", runs: BlastCommand.self),
    FormerName(
      "ledger stats", of: LedgerVerifyCommand.self, now: "ledger verify",
      runs: LedgerStatsCommand.self),
    FormerName(
      "ledger index", of: LedgerVerifyCommand.self, now: "ledger verify",
      runs: LedgerIndexCommand.self),
  ]

  /// The commands whose requests a service carries out for other processes.
  static let requesting: [any RequestingCommand.Type] = [
    GrantCommand.self, ApproveCommand.self, ReverseCommand.self, ReleaseCommand.self,
    BackfillApplyCommand.self,
    ReconcileCommand.self, ExcuseDeclareCommand.self, IngestCommand.self,
    UsersImportCommand.self, UsersRemoveCommand.self, UsersForgetCommand.self, RunCommand.self,
    JobsPauseCommand.self, JobsResumeCommand.self, RelayPauseCommand.self, RelayResumeCommand.self,
    RelayReplayCommand.self, RelayBroadcastCommand.self, AcceptClockCommand.self,
    LedgerCompactCommand.self,
  ]
}
