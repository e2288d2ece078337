package import Foundations
package import Ledger
package import LedgerStore

/// An operator's settings: where files are, how the API is polled, and which sinks receive events.
///
/// Paths are relative to the working directory of the process. Read it with ``ConfigurationLoader``.
package struct Configuration: Sendable {
  /// The file it was read from; nil when there was none and the defaults apply.
  package let file: String?
  /// The folder that holds the ledger and everything that belongs to it, or the address of the database that does.
  package var data: String
  /// The file system that holds the configuration, the files it names, and the data.
  package var files: any FileSystem = PosixFileSystem()
  /// The database shard that `data` is; nil when there is only one ledger.
  package internal(set) var shardID: ShardID?
  /// The zone of users who have none of their own, as an IANA name.
  package let defaultTimeZone: String
  /// The roster file, in JSON lines.
  package let users: String
  /// The rules documents; when empty, the app's built-in rules apply.
  package let rules: [String]
  /// The secret that keys the random draws.
  package let drawSecret: SecretReference
  /// The folder with the job files.
  package let jobs: String
  /// How long the service may be idle before an operator must confirm the clock.
  package let maxIdleDays: Int
  /// Whether manual acts require `--actor NAME`.
  package let requiresActor: Bool
  /// What one person may give or take by hand without approval, as proposed to the ledger.
  package let approval: HandLimits
  /// The `allowed_signers` file proposed to the ledger; nil where nobody signs.
  package let signers: String?
  /// The app's API.
  package let api: API
  /// When users are polled.
  package let poll: Poll
  /// The inbox.
  package let inbox: Inbox
  /// The programs that hand in inbox lines, in the order of the file.
  package let sources: [Source]
  /// When users are warned that their streak is at risk.
  package let atRisk: AtRisk
  /// When a close waits for an operator.
  package let massBreakGuard: MassBreakLimits
  /// The sinks, in the order of the file.
  package internal(set) var relay: [Sink]
  /// Who may give commands to a running service.
  package let control: Control
  /// The admin address.
  package let admin: Admin
  /// Every value with its origin, in the order of this type's properties; secrets are masked.
  package let settings: [EffectiveSetting]

  /// The data directory: the ledger and everything that belongs to it.
  package var directory: DataDirectory { DataDirectory(data, in: files) }

  /// Fetches the draw secret from `variables` or its file.
  package func resolveDrawSecret(
    environment variables: [String: String]
  ) throws(SecretError) -> ConfiguredSecret {
    do throws(SecretError) {
      return try drawSecret.resolve(environment: variables, in: files)
    } catch {
      // Whoever stands in the wrong folder needs no secret, but the right folder.
      guard file == nil else { throw error }
      throw SecretError(
        reference: error.reference, what: "\(error.what), and there is no rewards.json here")
    }
  }
}
