/// Every command, in the order of the help.
enum CommandList {
  static let all: [any Command.Type] = [
    DemoCommand.self,
    ServeCommand.self,
    ReconcileCommand.self,
    BalanceCommand.self,
    UsersImportCommand.self,
    UsersListCommand.self,
    UsersShowCommand.self,
    UsersRemoveCommand.self,
    IngestCommand.self,
    LedgerVerifyCommand.self,
    LedgerHeadCommand.self,
    LedgerStatsCommand.self,
    RulesCheckCommand.self,
    RulesShowCommand.self,
    RunCommand.self,
    JobsListCommand.self,
    JobsNextCommand.self,
    JobsAuditCommand.self,
    JobsPauseCommand.self,
    JobsResumeCommand.self,
    ZonesDayCommand.self,
    ZonesProveCommand.self,
    DoctorCommand.self,
    VersionCommand.self,
  ]
}
