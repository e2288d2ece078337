public import Files
public import LedgerStore

/// What an operator has decided: where things are, whom to ask how often, whom to tell.
///
/// Paths are relative to the working directory of the process. Read it with ``ConfigurationLoader``.
public struct Configuration: Sendable {
  /// The file it was read from; nil when there is none and defaults hold.
  public let file: String?
  /// The folder of the ledger and all that belongs to it, or the address of a database that has it.
  public var data: String
  /// The files among which all of it lies: the configuration itself, what it names, and the data.
  public var files: any FileSystem = PosixFileSystem()
  /// Which shard of a database `data` is; nil where there is only one ledger.
  public internal(set) var share: LedgerShare?
  /// The zone of users who have none of their own, an IANA name.
  public let defaultTimeZone: String
  /// The roster, JSON lines.
  public let users: String
  /// The rules documents; none means the built-in rules of the app.
  public let rules: [String]
  /// The key of the random draws.
  public let drawSecret: SecretReference
  /// The folder of job files.
  public let jobs: String
  /// How long the service may have been away before an operator must confirm the clock.
  public let maxIdleDays: Int
  /// Whether people's acts need `--actor NAME`.
  public let requiresActor: Bool
  /// How much one person may give or take by hand.
  public let approval: Approval
  /// The app's API.
  public let api: API
  /// When users are looked at.
  public let poll: Poll
  /// The inbox.
  public let inbox: Inbox
  /// When users are warned that their streak is at risk.
  public let atRisk: AtRisk
  /// When a close waits for an operator.
  public let massBreakGuard: MassBreakGuard
  /// Who is told, in the order of the file.
  public internal(set) var relay: [Sink]
  /// The admin address.
  public let admin: Admin
  /// Every value with its origin, in the order of this type; secrets masked.
  public let settings: [EffectiveSetting]

  /// The folder of the ledger and all that belongs to it.
  public var directory: DataDirectory { DataDirectory(data, in: files) }
}
