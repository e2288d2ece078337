/// Every command, in the order shown in help.
enum CommandList {
  static let all: [any Command.Type] = [
    DemoCommand.self,
    InitCommand.self,
    TryAPICommand.self,
    ServeCommand.self,
    ReconcileCommand.self,
    BackfillCommand.self,
    ExcuseCommand.self,
    GrantCommand.self,
    ReleaseCommand.self,
    ReverseCommand.self,
    ApprovalsCommand.self,
    AuditCommand.self,
    SimulateCommand.self,
    ExplainCommand.self,
    UserCommand.self,
    StatementCommand.self,
    BalanceCommand.self,
    AtRiskCommand.self,
    UsersImportCommand.self,
    UsersListCommand.self,
    UsersRemoveCommand.self,
    IngestCommand.self,
    LedgerVerifyCommand.self,
    LedgerHeadCommand.self,
    LedgerExportCommand.self,
    LedgerBackupCommand.self,
    LedgerRestoreCommand.self,
    LedgerImportCommand.self,
    LedgerCompactCommand.self,
    StoreMigrateCommand.self,
    StoreStatusCommand.self,
    StoreCheckCommand.self,
    RulesCheckCommand.self,
    RulesShowCommand.self,
    RulesExampleCommand.self,
    RunCommand.self,
    JobsListCommand.self,
    JobsNextCommand.self,
    JobsAuditCommand.self,
    JobsPauseCommand.self,
    JobsResumeCommand.self,
    RelayStatusCommand.self,
    RelayDeadCommand.self,
    RelayReplayCommand.self,
    RelayPauseCommand.self,
    RelayResumeCommand.self,
    RelayTestCommand.self,
    TailCommand.self,
    ZonesDayCommand.self,
    ZonesProveCommand.self,
    DoctorCommand.self,
    SchemaCommand.self,
    CompletionCommand.self,
    ManCommand.self,
    VersionCommand.self,
  ]

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
    GrantCommand.self, ReverseCommand.self, ReleaseCommand.self, BackfillApplyCommand.self,
    ReconcileCommand.self, ExcuseDeclareCommand.self, IngestCommand.self,
    UsersImportCommand.self, UsersRemoveCommand.self, RunCommand.self, JobsPauseCommand.self,
    JobsResumeCommand.self, RelayPauseCommand.self, RelayResumeCommand.self,
    RelayReplayCommand.self, AcceptClockCommand.self, LedgerCompactCommand.self,
  ]
}
