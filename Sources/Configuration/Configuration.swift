public import Foundations
public import LedgerStore

/// An operator's settings: where files are, how the API is polled, and which sinks receive events.
///
/// Paths are relative to the working directory of the process. Read it with ``ConfigurationLoader``.
public struct Configuration: Sendable {
  /// The file it was read from; nil when there was none and the defaults apply.
  public let file: String?
  /// The folder that holds the ledger and everything that belongs to it, or the address of the database that does.
  public var data: String
  /// The file system that holds the configuration, the files it names, and the data.
  public var files: any FileSystem = PosixFileSystem()
  /// The database shard that `data` is; nil when there is only one ledger.
  public internal(set) var shardID: ShardID?
  /// The zone of users who have none of their own, as an IANA name.
  public let defaultTimeZone: String
  /// The roster file, in JSON lines.
  public let users: String
  /// The rules documents; when empty, the app's built-in rules apply.
  public let rules: [String]
  /// The secret that keys the random draws.
  public let drawSecret: SecretReference
  /// The folder with the job files.
  public let jobs: String
  /// How long the service may be idle before an operator must confirm the clock.
  public let maxIdleDays: Int
  /// Whether manual acts require `--actor NAME`.
  public let requiresActor: Bool
  /// The amounts that one person may give or take by hand without approval.
  public let approval: Approval
  /// The app's API.
  public let api: API
  /// When users are polled.
  public let poll: Poll
  /// The inbox.
  public let inbox: Inbox
  /// When users are warned that their streak is at risk.
  public let atRisk: AtRisk
  /// When a close waits for an operator.
  public let massBreakGuard: MassBreakLimits
  /// The sinks, in the order of the file.
  public internal(set) var relay: [Sink]
  /// The admin address.
  public let admin: Admin
  /// Every value with its origin, in the order of this type's properties; secrets are masked.
  public let settings: [EffectiveSetting]

  /// The data directory: the ledger and everything that belongs to it.
  public var directory: DataDirectory { DataDirectory(data, in: files) }
}
