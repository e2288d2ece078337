/// Commands that belong together in help, with the tasks that they are for.
struct CommandGroup: Sendable {
  /// Something that somebody wants to do, and what to run for it.
  typealias Task = (to: String, use: String)

  let title: String
  let commands: [any Command.Type]
  let tasks: [Task]

  /// Every command of the program; those that are used most come first.
  static let all = [everyDay, users, repair, proof, setUp]

  private static let everyDay = CommandGroup(
    title: "Every day",
    commands: [
      DoctorCommand.self, UserCommand.self, ExplainCommand.self, StatementCommand.self,
      GrantCommand.self, ReconcileCommand.self, ApprovalsCommand.self, AuditCommand.self,
      JobsListCommand.self, RelayStatusCommand.self,
    ],
    tasks: [
      ("see what is configured and what is wrong", "`rewards doctor`"),
      (
        "see what a user has, and the last days",
        "`rewards user ID`, with `--days N` or `--month 2026-10`; with `--at INSTANT` as it was then, with `--html FILE` as a page"
      ),
      (
        "say why a user did or did not get something",
        "`rewards explain USER`, `rewards explain USER yesterday`"
      ),
      (
        "list what changed a balance, and why",
        "`rewards statement USER`, with `--month 2026-10`, `--csv`, `--html FILE`"
      ),
      ("give a user something by hand", "`rewards grant USER --points N --reason TEXT`"),
      (
        "bring the ledger up to date now",
        "`rewards reconcile`, with `--prove` to show that a second run appends nothing"
      ),
      (
        "approve what is too much for one person",
        "`rewards approvals`, then the same command with `--approve ID`, as a second person"
      ),
      (
        "prove that every grant is right",
        "`rewards audit`; `--since last` for what is new; `--html FILE` for a page; `--balances shop.csv` to compare with another system's balances"
      ),
      ("see the jobs and what came of their last runs", "`rewards jobs list`"),
      ("see how each sink is doing", "`rewards relay status`"),
    ])

  private static let users = CommandGroup(
    title: "Users",
    commands: [
      UsersListCommand.self, UsersImportCommand.self, UsersRemoveCommand.self,
      UsersForgetCommand.self, IngestCommand.self, BalanceCommand.self, AtRiskCommand.self,
    ],
    tasks: [
      ("find a user", "`rewards users list TEXT`"),
      (
        "bring users in, or take one out",
        "`rewards users import users.jsonl`, `rewards users remove ID`"
      ),
      (
        "delete a person's data, when they ask for it",
        "`rewards users forget ID --reason TEXT`; it says what stays"
      ),
      (
        "hand in activities that no route shows (logins, comments, purchases, credits)",
        "`rewards ingest FILE`, or a file in `data/inbox/incoming/`"
      ),
      (
        "give everybody's balances to an accountant",
        "`rewards balance --all --csv --at INSTANT`; the last line holds the control totals"
      ),
      ("see whose streak is not safe yet today", "`rewards atrisk --within 3 --length 7`"),
    ])

  private static let repair = CommandGroup(
    title: "Repair",
    commands: [
      BackfillCommand.self, ExcuseCommand.self, ReverseCommand.self, ReleaseCommand.self,
      RunCommand.self, JobsPauseCommand.self, JobsResumeCommand.self, RelayDeadCommand.self,
      RelayReplayCommand.self, RelayPauseCommand.self, RelayResumeCommand.self,
      RelayBroadcastCommand.self,
    ],
    tasks: [
      (
        "declare an outage, so that it breaks no streak",
        "`rewards excuse --propose` finds outages; `rewards excuse --outage FROM..TO --reason TEXT`; then a backfill for closed days"
      ),
      (
        "apply what arrived after a day was closed",
        "`rewards backfill --plan FILE`, read the plan, `rewards backfill --apply FILE`"
      ),
      ("take a grant back, or undo that", "`rewards reverse KEY --reason TEXT`, with `--undo`"),
      (
        "take many grants back with all that depends on them",
        "`rewards reverse --rules VERSION --mission NAME --plan FILE --reason TEXT`, read the plan, `rewards backfill --apply FILE`"
      ),
      ("let a grant through that a limit holds back", "`rewards release KEY --reason TEXT`"),
      (
        "run a job by hand, or pause it",
        "`rewards run JOB --due`; `rewards jobs pause JOB --reason TEXT`, `rewards jobs resume JOB`"
      ),
      (
        "see what a sink did not accept, and send it again",
        "`rewards relay dead`, `rewards relay replay --dead`; `rewards relay pause`, `rewards relay resume`"
      ),
      (
        "push a text to everybody",
        "`rewards relay broadcast --title TEXT --body TEXT --reason TEXT`; a second person approves it"
      ),
    ])

  private static let proof = CommandGroup(
    title: "Proof",
    commands: [
      LedgerVerifyCommand.self, LedgerHeadCommand.self, LedgerExportCommand.self,
      TailCommand.self, SimulateCommand.self, JobsAuditCommand.self, ZonesProveCommand.self,
      StoreCheckCommand.self,
    ],
    tasks: [
      (
        "prove that nothing sealed was changed or cut off",
        "`rewards ledger verify`, with `--head` from `rewards ledger head`"
      ),
      (
        "export records, or read them",
        "`rewards ledger export --user ID`, `--type grant --month 2026-10 --csv`, `--sealed` for everything"
      ),
      (
        "see who did what by hand",
        "`rewards ledger export --type operator,reversal,grant --manual`"
      ),
      ("watch records as they are committed", "`rewards tail --user ID`"),
      (
        "try other rules on what has happened",
        "`rewards simulate --rules FILE`, `rewards rules check FILE --against 30`"
      ),
      ("check that every job ran when it was due", "`rewards jobs audit`"),
      ("prove that the days of every zone are right", "`rewards zones prove`"),
    ])

  private static let setUp = CommandGroup(
    title: "Set-up",
    commands: [
      DemoCommand.self, InitCommand.self, TryAPICommand.self, ServeCommand.self,
      RulesShowCommand.self, ApproveCommand.self,
      RulesExampleCommand.self, RulesCheckCommand.self, RelayTestCommand.self,
      JobsNextCommand.self, ZonesDayCommand.self, LedgerBackupCommand.self,
      LedgerRestoreCommand.self, LedgerCompactCommand.self, LedgerImportCommand.self,
      StoreMigrateCommand.self, StoreStatusCommand.self, SchemaCommand.self,
      CompletionCommand.self, ManCommand.self, VersionCommand.self,
    ],
    tasks: [
      (
        "see the whole system on one machine",
        "`rewards demo`; the same `--seed` writes the same ledger, byte for byte"
      ),
      ("write the files that a new machine needs", "`rewards init`"),
      (
        "try the service with a simulated API",
        "`rewards init --try DIR`, then `rewards try-api`; `rewards help tutorial`"
      ),
      (
        "run the service",
        "`rewards serve`; with `--dry-run` it polls and judges but writes nothing"
      ),
      (
        "see the rules in force, or write others",
        "`rewards rules show`; `rewards rules example`, `rewards help rules`"
      ),
      (
        "test a new sink",
        "`rewards relay test NAME`; `rewards help relay` explains how to set one up"
      ),
      (
        "work out days and schedules",
        "`rewards zones day ZONE DAY`, `rewards jobs next EXPR --zone ZONE`"
      ),
      (
        "keep a copy elsewhere, and put it back",
        "`rewards ledger backup DIR`, `rewards ledger restore DIR`"
      ),
      ("save disk space", "`rewards ledger compact`: packed segments stay readable and verifiable"),
      (
        "divide a ledger among the shards of a database",
        "`rewards store migrate --shards N`, `rewards ledger import DIR`"
      ),
      (
        "give an editor or a program the shape of a file, a line or an answer",
        "`rewards schema NAME`"
      ),
      ("see the versions of the program and the time zones", "`rewards version`"),
    ])
}
